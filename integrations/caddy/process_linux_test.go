package uricaddy

import "syscall"

// endsWithTest makes the kernel end a process with the test, even if that is killed.
func endsWithTest() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
