//go:build unix

package files

import "syscall"

// DontWait, a flag of an open, has an open of a pipe without a writer return at once.
const DontWait = syscall.O_NONBLOCK
