package strs

import (
	"strings"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// SegmentJoin joins the strings of each segment. The shape of src is [len(ids), inner], that of dst
// is [segments, inner]. It sets dst[s,j] to the concatenation of all strings src[i,j] for which
// ids[i] is s, in the order of i. The separator is written before a string unless the result is
// still empty. Only the part of the separator before its first NUL is used. SegmentJoin returns
// InvalidArgument for an id out of range. The last two arguments are scratch, with
// len(ends) = segments and len(next) = len(ids).
func SegmentJoin(run *mem.Budget, dst, src []string, ids []int64, inner int, separator string, ends, next []int32) error {
	separator, _, _ = strings.Cut(separator, "\x00")
	clear(dst)
	for i := range ends {
		ends[i] = -1
	}
	for i := len(ids) - 1; i >= 0; i-- { // link the ids of each segment into a list, in order
		s := ids[i]
		if s < 0 || s >= int64(len(ends)) {
			return tensor.Errorf(tensor.InvalidArgument, "segment_ids are not allowed to exceed num_segments or to have negative values: %d of %d", s, len(ends))
		}
		next[i] = ends[s]
		ends[s] = int32(i)
	}
	var b strings.Builder
	for s, first := range ends {
		for j := range inner {
			size := 0
			for i := first; i >= 0; i = next[i] {
				size += len(separator) + len(src[int(i)*inner+j])
			}
			if err := run.Make(size); err != nil {
				return err
			}
			b.Reset()
			for i := first; i >= 0; i = next[i] {
				if b.Len() > 0 {
					b.WriteString(separator)
				}
				b.WriteString(src[int(i)*inner+j])
			}
			dst[s*inner+j] = b.String()
		}
	}
	return nil
}
