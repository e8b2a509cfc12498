//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package bundle

import "os"

// tryLock reports unsupported.
func tryLock(*os.File) (locked, unsupported bool) { return false, true }
