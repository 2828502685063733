package main

// A naming is a scheme of names for the fields of the output.
type naming uint8

const (
	plainNames naming = iota
	ecsNames
	otelNames
	clickhouseNames
)

// namings are the values of --names.
var namings = []option[naming]{
	{"plain", plainNames},
	{"ecs", ecsNames},
	{"otel", otelNames},
	{"clickhouse", clickhouseNames},
}

// namesOf are the names of fields in the Elastic Common Schema, in the semantic conventions of OpenTelemetry,
// and of the functions of ClickHouse that return the same.
var namesOf = map[string][4]string{
	"text":      {ecsNames: "url.original", otelNames: "url.original", clickhouseNames: "url"},
	"scheme":    {ecsNames: "url.scheme", otelNames: "url.scheme", clickhouseNames: "protocol"},
	"authority": {clickhouseNames: "netloc"},
	"user":      {ecsNames: "url.username"},
	"password":  {ecsNames: "url.password"},
	"host":      {ecsNames: "url.domain", otelNames: "url.domain", clickhouseNames: "domain"},
	"port":      {ecsNames: "url.port", otelNames: "url.port"},
	"path":      {ecsNames: "url.path", otelNames: "url.path"},
	"extension": {ecsNames: "url.extension", otelNames: "url.extension"},
	"query":     {ecsNames: "url.query", otelNames: "url.query", clickhouseNames: "queryString"},
	"params":    {clickhouseNames: "extractURLParameters"},
	"keys":      {clickhouseNames: "extractURLParameterNames"},
	"fragment":  {ecsNames: "url.fragment", otelNames: "url.fragment"},
}

// rename gives the fields the names of the scheme. A field that it has no name for gets the prefix "uri.", or
// keeps its name in ClickHouse. In the Elastic Common Schema and in OpenTelemetry a port is a number.
func (n naming) rename(fields []field) {
	for i := range fields {
		f := &fields[i]
		switch name := namesOf[f.name][n]; {
		case name != "":
			f.label = name
		case n == ecsNames || n == otelNames:
			f.label = "uri." + f.name
		}
		if f.name == "port" && (n == ecsNames || n == otelNames) {
			f.kind, f.safe, f.isComponent, f.get = numberKind, true, false, portNumber
		}
	}
}

func portNumber(r *record) ([]byte, bool) {
	port, ok := r.view.PortNumber()
	if !ok {
		return nil, false
	}
	return r.number(int(port))
}
