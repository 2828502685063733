//go:build !linux

package uricaddy

import "syscall"

func endsWithTest() *syscall.SysProcAttr { return nil }
