package ir

import "strings"

// WatchKey begins the keys of fetches that are not results. A run passes these tensors to a
// function with which the caller watches the run. The rest of the key is the op of the original
// node. These fetches come after all others.
const WatchKey = "_watch:"

// Watched reports whether a key belongs to a watched tensor, and returns the op.
func Watched(key string) (op string, ok bool) { return strings.CutPrefix(key, WatchKey) }
