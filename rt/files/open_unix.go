//go:build unix

package files

import "syscall"

// DontWait is an open flag: opening a pipe without a writer returns at once.
const DontWait = syscall.O_NONBLOCK
