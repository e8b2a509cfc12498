package strs

import "sort"

// Script writes the script of each code point by the number that ICU gives it
// (UScriptCode): Unicode 13.0, where later code points are of no known script, 103.
// What is no code point is -1.
func Script(dst, src []int32) {
	for i, c := range src {
		if c < 0 || c > 0x10ffff {
			dst[i] = -1
			continue
		}
		k := sort.Search(len(scriptRuns), func(k int) bool { return scriptRuns[k]>>8 > uint32(c) })
		dst[i] = int32(scriptRuns[k-1] & 0xff)
	}
}
