package ir

import "strings"

// WatchKey and CheckKey begin the keys of fetches that are nobody's results: tensors that
// a run hands to whoever watches it, and tensors in which it looks for numbers that are
// none. The op of the node they were made for comes after. They stand behind
// all other fetches.
const (
	WatchKey = "_watch:"
	CheckKey = "_check:"
)

// Watched reports that a key is that of a tensor to be watched, or, with check, to be
// looked at, and returns the op.
func Watched(key string) (op string, check, ok bool) {
	if op, ok := strings.CutPrefix(key, WatchKey); ok {
		return op, false, true
	}
	op, ok = strings.CutPrefix(key, CheckKey)
	return op, ok, ok
}
