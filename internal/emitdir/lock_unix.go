//go:build unix && !aix && !solaris

package emitdir

import (
	"os"
	"syscall"
)

// lock marks a folder or file below root as in use by this process. The mark disappears when the
// process ends or calls release.
func lock(root *os.Root, name string) (release func()) {
	release, _ = tryLock(root, name)
	return release
}

// tryLock is like lock. It also reports whether the folder is free: no other process has marked it.
func tryLock(root *os.Root, name string) (release func(), free bool) {
	f, err := root.Open(name)
	if err != nil {
		return func() {}, true
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == syscall.EWOULDBLOCK {
		_ = f.Close()
		return func() {}, false
	}
	return func() { _ = f.Close() }, true
}
