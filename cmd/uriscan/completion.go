package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// completions are the values of flags that shells complete.
func completions() map[string][]string {
	var fields []string
	for _, f := range plainFields {
		fields = append(fields, f.name)
	}
	fields = append(fields, "param.", "segment.")
	return map[string][]string{
		"log":    {"combined", "common", "caddy", "jsonl:"},
		"uri":    {"request", "referer"},
		"form":   optionNames(forms),
		"color":  optionNames(colorModes),
		"fields": fields,
		"by":     fields,
		"where":  fields,
		"format": {"tsv", "csv", "jsonl", "table"},
		"names":  optionNames(namings),
		"level":  {"syntax", "scheme"},
	}
}

func optionNames[T any](options []option[T]) []string {
	c := choice[T]{options: options}
	return c.names()
}

// setCompletions makes shells complete the values of the flags of the command, each part of a list by itself.
func setCompletions(cmd *cobra.Command) {
	for flag, values := range completions() {
		if cmd.Flag(flag) == nil {
			continue
		}
		cmd.RegisterFlagCompletionFunc(flag,
			func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
				before := typed[:strings.LastIndexByte(typed, ',')+1]
				var all []string
				for _, value := range values {
					all = append(all, before+value)
				}
				return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
			})
	}
}
