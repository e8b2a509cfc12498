//go:build !unix || aix || solaris

package emitdir

import "os"

// lock does nothing: folders cannot be marked here.
func lock(*os.Root, string) (release func()) { return func() {} }

// tryLock reports whether nobody writes to the folder.
func tryLock(*os.Root, string) (release func(), free bool) { return func() {}, true }
