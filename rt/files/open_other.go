//go:build !unix

package files

// DontWait is 0 on systems where a file cannot be a pipe.
const DontWait = 0
