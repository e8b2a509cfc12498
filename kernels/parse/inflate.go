package parse

import (
	"github.com/graphc/graphc/rt/inflate"
	"github.com/graphc/graphc/rt/mem"
)

// InflateZlib decompresses every string of src, each of which is a zlib stream; see inflate.Zlib.
// It returns ResourceExhausted if the results together exceed inflate.MaxBytes or the memory that
// the run may still use.
func InflateZlib(run *mem.Budget, dst, src []string) error {
	left := min(inflate.MaxBytes, run.Left())
	for i, s := range src {
		v, err := inflate.Zlib(s, left)
		if err != nil {
			return err
		}
		if err := run.Make(len(v)); err != nil {
			return err
		}
		dst[i], left = v, left-len(v)
	}
	return nil
}

// InflateGzip is InflateZlib for gzip streams; see inflate.Gzip.
func InflateGzip(run *mem.Budget, dst, src []string) error {
	left := min(inflate.MaxBytes, run.Left())
	for i, s := range src {
		v, err := inflate.Gzip(s, left)
		if err != nil {
			return err
		}
		if err := run.Make(len(v)); err != nil {
			return err
		}
		dst[i], left = v, left-len(v)
	}
	return nil
}
