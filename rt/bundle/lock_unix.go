//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package bundle

import (
	"errors"
	"os"
	"syscall"
)

// tryLock tries to lock a file, without waiting. The lock lasts until the file is closed or the
// process ends. The result locked reports success. The result unsupported reports whether the file
// cannot be locked at all, because the operating system or the file system has no locks.
func tryLock(f *os.File) (locked, unsupported bool) {
	c, err := f.SyscallConn()
	if err != nil {
		return false, true
	}
	if e := c.Control(func(fd uintptr) {
		for {
			if err = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EINTR) {
				return
			}
		}
	}); e != nil {
		return false, true
	}
	busy := errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EAGAIN)
	return err == nil, err != nil && !busy
}
