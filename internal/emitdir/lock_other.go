//go:build !unix || aix || solaris

package emitdir

import "os"

// lock does nothing: this system cannot mark folders.
func lock(*os.Root, string) (release func()) { return func() {} }

// tryLock always returns true for the result free, because processes cannot mark folders on this
// system.
func tryLock(*os.Root, string) (release func(), free bool) { return func() {}, true }
