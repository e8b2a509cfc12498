package ir

import "strings"

// WatchKey begins the keys of fetches that are nobody's results: tensors that a run
// hands to whoever watches it. The op of the node they were made for comes after. They
// stand behind all other fetches.
const WatchKey = "_watch:"

// Watched reports whether a key is that of a tensor to be watched, and returns the op.
func Watched(key string) (op string, ok bool) { return strings.CutPrefix(key, WatchKey) }
