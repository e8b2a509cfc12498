//go:build !unix

package files

// DontWait is a flag for os.OpenFile, with which opening a pipe returns at once. It is 0 on systems
// where a file cannot be a pipe.
const DontWait = 0
