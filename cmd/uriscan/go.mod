module github.com/seed-56a50ac9/uri/cmd/uriscan

go 1.24.0

require (
	github.com/klauspost/compress v1.18.6
	github.com/rivo/uniseg v0.4.7
	github.com/schollz/progressbar/v3 v3.18.0
	github.com/seed-56a50ac9/uri v0.0.0
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.9
	github.com/stretchr/testify v1.12.1
	github.com/tidwall/gjson v1.20.0
	golang.org/x/sys v0.40.0
	golang.org/x/term v0.38.0
)

require (
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)
