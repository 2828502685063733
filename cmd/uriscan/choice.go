package main

import (
	"errors"
	"strings"
)

// An option is a name that a flag takes, and what it means.
type option[T any] struct {
	name  string
	value T
}

// A choice is the value of a flag that takes one of a few names. The default is the first.
type choice[T any] struct {
	options []option[T]
	at      int
}

func (c *choice[T]) value() T       { return c.options[c.at].value }
func (c *choice[T]) String() string { return c.options[c.at].name }
func (c *choice[T]) Type() string   { return "name" }

// names returns all names.
func (c *choice[T]) names() (names []string) {
	for _, o := range c.options {
		names = append(names, o.name)
	}
	return names
}

// Set chooses the named value.
func (c *choice[T]) Set(name string) error {
	for i, o := range c.options {
		if o.name == name {
			c.at = i
			return nil
		}
	}
	return errors.New("must be one of " + strings.Join(c.names(), ", "))
}
