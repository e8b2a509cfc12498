package rt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// Variant returns the index of an element of s.Ranks: the combination of ranks that the feeds have.
// The parameter ranks contains the rank of each feed. The error is InvalidArgument if the signature
// does not accept these ranks, or not in this combination.
func (s *Signature) Variant(ranks ...int) (int, error) {
next:
	for k, want := range s.Ranks {
		for i, r := range want {
			if r >= 0 && ranks[i] != r {
				continue next
			}
		}
		return k, nil
	}
	return 0, s.badRanks(slices.Clone(ranks))
}

// badRanks returns the error for ranks that do not fit. The error names the feed whose rank is
// wrong. If each rank is accepted for its feed, but not in this combination, the error lists the
// accepted combinations.
func (s *Signature) badRanks(got []int) error {
	var open []int
	for i := range s.Feeds {
		p := &s.Feeds[i]
		switch {
		case !p.AnyRank && got[i] != len(p.Shape), p.AnyRank && p.Ranks != nil && !slices.Contains(p.Ranks, got[i]):
			return tensor.Errorf(tensor.InvalidArgument, "%s: got %v of rank %d, want %v", s.Input(i), p.DType, got[i], p)
		case p.AnyRank && p.Ranks != nil:
			open = append(open, i)
		}
	}
	tuple := func(ranks []int) string {
		var b strings.Builder
		for k, i := range open {
			if k > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s of rank %d", s.Feeds[i].Field, ranks[i])
		}
		return b.String()
	}
	var all []string
	for _, r := range s.Ranks {
		all = append(all, tuple(r))
	}
	return tensor.Errorf(tensor.InvalidArgument, "%s: got %s, want %s", s.of("inputs"), tuple(got), strings.Join(all, "; or "))
}

// ranksText returns a text for ranks in ascending order: "any rank", "rank 1", "rank 1 or 3" or "rank
// 0 to 5".
func ranksText(ranks []int) string {
	n := len(ranks)
	if n == 0 {
		return "any rank"
	}
	if n > 2 && ranks[n-1]-ranks[0] == n-1 {
		return fmt.Sprintf("rank %d to %d", ranks[0], ranks[n-1])
	}
	var b strings.Builder
	b.WriteString("rank ")
	for i, r := range ranks {
		switch {
		case i > 0 && i == n-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(r))
	}
	return b.String()
}
