package uriotel

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/collector/component"
)

// The attributes of the semantic conventions that hold a URL (version 1.43.0).
const (
	attributeFull     = "url.full"
	attributeOriginal = "url.original"
)

// The attributes that hold a part of a URL, which may need special treatment.
const (
	attributePort     = "url.port"
	attributePath     = "url.path"
	attributeQuery    = "url.query"
	attributeFragment = "url.fragment"
)

// A part is a part of a URL that has an attribute.
type part uint8

const (
	schemePart part = iota
	domainPart
	portPart
	pathPart
	queryPart
	fragmentPart
	extensionPart
	partCount
)

// partNames are the attributes for the parts.
var partNames = [partCount]string{
	schemePart:    "url.scheme",
	domainPart:    "url.domain",
	portPart:      attributePort,
	pathPart:      attributePath,
	queryPart:     attributeQuery,
	fragmentPart:  attributeFragment,
	extensionPart: "url.extension",
}

// The values of [Config.Existing], [Config.Form] and [Config.Normalize].
const (
	existingOverwrite = "overwrite"
	existingKeep      = "keep"
	formReference     = "reference"
	formRequestTarget = "request_target"
	normalizeBySyntax = "syntax"
	normalizeByScheme = "scheme"
)

// Config is the configuration of the processor.
type Config struct {
	// From lists the attributes that may hold a URL. The first one that is a string, and not empty, is read.
	From []string `mapstructure:"from"`

	// Set lists the attributes to set: those that hold a part of a URL, and url.full.
	Set []string `mapstructure:"set"`

	// Existing says what happens to an attribute that is to be set, but exists: "overwrite" or "keep".
	Existing string `mapstructure:"existing"`

	// Form is "reference" if "//a/b" has the host "a", or "request_target" if it is a path.
	Form string `mapstructure:"form"`

	// Strict accepts only URIs that are valid by RFC 3986. Otherwise, illegal characters in the path, query and
	// fragment are accepted.
	Strict bool `mapstructure:"strict"`

	// SecretKeys lists parameters whose values are secret, in addition to those that the library knows.
	SecretKeys []string `mapstructure:"secret_keys"`

	// RedactOriginal removes secrets from url.original too.
	RedactOriginal bool `mapstructure:"redact_original"`

	// SpanEvents processes the events of spans too.
	SpanEvents bool `mapstructure:"span_events"`

	// Normalize is how NormalizedAttribute is normalized: by "syntax" or by "scheme" (RFC 3986 section 6.2).
	Normalize string `mapstructure:"normalize"`

	// NormalizedAttribute is set to the normalized URL without its secrets. If it is empty, there is no such
	// attribute.
	NormalizedAttribute string `mapstructure:"normalized_attribute"`

	// TraitsAttribute is set to the list of the URL's traits. If it is empty, there is no such attribute.
	TraitsAttribute string `mapstructure:"traits_attribute"`

	// ErrorAttribute is set to the reason if a URL is invalid. If it is empty, there is no such attribute.
	ErrorAttribute string `mapstructure:"error_attribute"`
}

func createDefaultConfig() component.Config {
	return &Config{
		From:       []string{attributeFull, attributeOriginal},
		Set:        slices.Clone(partNames[:]),
		Existing:   existingOverwrite,
		Form:       formReference,
		SpanEvents: true,
		Normalize:  normalizeBySyntax,
	}
}

// Validate returns an error for each field that is wrong. Each begins with the name of the field.
func (c *Config) Validate() error {
	return errors.Join(
		field("from", c.checkFrom()),
		field("set", c.checkSet()),
		field("existing", oneOf(c.Existing, existingOverwrite, existingKeep)),
		field("form", oneOf(c.Form, formReference, formRequestTarget)),
		field("secret_keys", c.checkSecretKeys()),
		field("normalize", oneOf(c.Normalize, normalizeBySyntax, normalizeByScheme)),
		field("normalized_attribute", c.checkOwn(c.NormalizedAttribute)),
		field("traits_attribute", c.checkOwn(c.TraitsAttribute, c.NormalizedAttribute)),
		field("error_attribute", c.checkOwn(c.ErrorAttribute, c.NormalizedAttribute, c.TraitsAttribute)),
	)
}

// field adds the name of a field to an error.
func field(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// oneOf requires that the value be one of those given.
func oneOf(value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
	}
	return fmt.Errorf("%q is not one of: %s", value, strings.Join(values, ", "))
}

// unique requires that no value be empty or be in the list twice.
func unique(values []string) error {
	for i, value := range values {
		if value == "" {
			return errors.New("an element is empty")
		}
		if slices.Contains(values[:i], value) {
			return fmt.Errorf("%q is in the list twice", value)
		}
	}
	return nil
}

func (c *Config) checkFrom() error {
	if len(c.From) == 0 {
		return errors.New("names no attribute to read, such as url.full")
	}
	for _, name := range c.From {
		if slices.Contains(partNames[:], name) {
			return fmt.Errorf("%s holds a part of a URL, not a URL", name)
		}
	}
	return unique(c.From)
}

func (c *Config) checkSet() error {
	for _, name := range c.Set {
		if err := oneOf(name, append(partNames[:], attributeFull)...); err != nil {
			return err
		}
	}
	return unique(c.Set)
}

func (c *Config) checkSecretKeys() error {
	for _, key := range c.SecretKeys {
		if strings.ContainsAny(key, "&=") {
			return fmt.Errorf("%q has a character that ends a key", key)
		}
		if !strings.ContainsFunc(key, countsInKey) {
			return fmt.Errorf("%q has no letter and no digit", key)
		}
	}
	return unique(c.SecretKeys)
}

// countsInKey reports whether the library compares the character.
func countsInKey(r rune) bool {
	return '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || r >= utf8.RuneSelf
}

// checkOwn requires that the name of an attribute be that of no other one.
func (c *Config) checkOwn(name string, others ...string) error {
	if name == "" {
		return nil
	}
	if slices.Contains(c.From, name) || slices.Contains(others, name) || slices.Contains(partNames[:], name) ||
		name == attributeFull || name == attributeOriginal {
		return fmt.Errorf("%s has another use", name)
	}
	return nil
}
