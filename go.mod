module github.com/seed-56a50ac9/uri

go 1.24.0

require (
	github.com/stretchr/testify v1.12.1
	golang.org/x/sys v0.40.0
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect
