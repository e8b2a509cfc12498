package ir

import "strings"

// WatchKey begins the keys of fetches that are not results: tensors that a run passes to its
// watcher. The op of the original node follows. These fetches come after all others.
const WatchKey = "_watch:"

// Watched reports whether a key belongs to a watched tensor, and returns the op.
func Watched(key string) (op string, ok bool) { return strings.CutPrefix(key, WatchKey) }
