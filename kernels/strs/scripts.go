package strs

import "sort"

// Script writes the script of each code point in Unicode 13.0, as ICU's number
// (UScriptCode). Code points of later versions are of unknown script, 103. A number
// that is not a code point gives -1.
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
