//go:build unix

package files

import "syscall"

// DontWait is a flag for os.OpenFile. With this flag, opening a pipe without a writer returns at
// once.
const DontWait = syscall.O_NONBLOCK
