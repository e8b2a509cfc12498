//go:build unix && !aix && !solaris

package emitdir

import (
	"os"
	"syscall"
)

// lockDir marks a folder or file as being written by this process, until the process ends or
// the function it returns is called.
func lockDir(dir string) (release func()) {
	release, _ = tryLockDir(dir)
	return release
}

// tryLockDir is lockDir that reports whether no other process has marked the folder.
func tryLockDir(dir string) (release func(), free bool) {
	f, err := os.Open(dir)
	if err != nil {
		return func() {}, true
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == syscall.EWOULDBLOCK {
		_ = f.Close()
		return func() {}, false
	}
	return func() { _ = f.Close() }, true
}
