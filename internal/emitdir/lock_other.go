//go:build !unix || aix || solaris

package emitdir

import "os"

// lock does nothing: this system cannot mark folders.
func lock(*os.Root, string) (release func()) { return func() {} }

// tryLock marks nothing. Its second result is always true, because no process can have marked the
// folder on this system.
func tryLock(*os.Root, string) (release func(), free bool) { return func() {}, true }
