package parse

import "github.com/graphc/graphc/rt/inflate"

// InflateZlib decompresses every string, a zlib stream; see inflate.Zlib.
// ResourceExhausted where all would be more than inflate.MaxBytes bytes.
func InflateZlib(dst, src []string) error {
	left := inflate.MaxBytes
	for i, s := range src {
		v, err := inflate.Zlib(s, left)
		if err != nil {
			return err
		}
		dst[i], left = v, left-len(v)
	}
	return nil
}

// InflateGzip is InflateZlib for gzip streams; see inflate.Gzip.
func InflateGzip(dst, src []string) error {
	left := inflate.MaxBytes
	for i, s := range src {
		v, err := inflate.Gzip(s, left)
		if err != nil {
			return err
		}
		dst[i], left = v, left-len(v)
	}
	return nil
}
