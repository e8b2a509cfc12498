//go:build !unix

package files

// DontWait is nothing where no file can be a pipe.
const DontWait = 0
