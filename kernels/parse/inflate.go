package parse

import (
	"github.com/graphc/graphc/rt/budget"
	"github.com/graphc/graphc/rt/inflate"
)

// InflateZlib decompresses every string, a zlib stream; see inflate.Zlib.
// ResourceExhausted where all would be more than inflate.MaxBytes bytes, or more than the run may take.
func InflateZlib(run *budget.Run, dst, src []string) error {
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
func InflateGzip(run *budget.Run, dst, src []string) error {
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
