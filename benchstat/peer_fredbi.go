package main

import fredbi "github.com/fredbi/uri"

var fredbiWorks = map[string]work{
	"Parse":      onTexts(parser(fredbi.ParseReference)),
	"Components": onTexts(fredbiComponents),
	"Validate":   onTexts(fredbiValidate),
	"Params":     onTexts(fredbiParams),
}

func fredbiComponents() func(string) int {
	return func(text string) int {
		u, err := fredbi.ParseReference(text)
		if err != nil {
			return 0
		}
		a := u.Authority()
		return len(u.Scheme()) + len(a.UserInfo()) + len(a.Host()) + len(a.Port()) +
			len(a.Path()) + len(u.Query()) + len(u.Fragment())
	}
}

func fredbiValidate() func(string) int {
	return func(text string) int {
		if !fredbi.IsURIReference(text) {
			return 0
		}
		return 1
	}
}

func fredbiParams() func(string) int {
	return func(text string) int {
		u, err := fredbi.ParseReference(text)
		if err != nil {
			return 0
		}
		return valuesLen(u.Query())
	}
}
