module github.com/seed-56a50ac9/uri/integrations/examples/fasthttp

go 1.25.0

require (
	github.com/seed-56a50ac9/uri v0.0.0
	github.com/stretchr/testify v1.12.1
	github.com/valyala/fasthttp v1.74.0
)

require (
	github.com/klauspost/compress v1.20.0 // indirect
	github.com/molecule-man/go-brrr v1.0.1 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.47.0 // indirect
)

replace github.com/seed-56a50ac9/uri => ../../..
