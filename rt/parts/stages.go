package parts

import (
	"fmt"
	"strings"

	"github.com/graphc/graphc/rt"
)

// Stage is a part of a signature that supports partial runs.
type Stage struct {
	Feeds []int // the indices of the feeds that the part needs
	// the indices of the sizes that the part needs and that none of its feeds determines
	Sizes   []int
	Fetches []int // the indices of the fetches that the part computes
}

// Stages describes a signature that supports partial runs.
type Stages[D comparable, I any] struct {
	Signature *rt.Signature
	// Parts is sorted, so that each part comes after the parts from which it receives tensors
	Parts []Stage
	// Tells[k] contains the indices of the feeds that determine size k.
	Tells [][]int
	// Bind checks the shape of a feed and reads the sizes that it determines.
	Bind func(feed int, in *I, d *D, t *Told) error
}

// Told records which feeds were given and which sizes are known.
type Told struct {
	Fed   []bool // by feed
	Known []bool // by size
}

// Size handles one axis of a feed whose length is a named size. The parameter got is the length of
// the axis, and size is the index of the size in t.Known. If the size is not known yet, Size stores
// got in *d. Otherwise it returns an error unless got equals *d.
func (t *Told) Size(s *rt.Signature, feed, axis, got, size int, d *int) error {
	if t.Known[size] {
		return s.CheckDim(feed, axis, got, *d)
	}
	*d, t.Known[size] = got, true
	return nil
}

// Has reports whether the feed was given and all the sizes are known.
func (t *Told) Has(feed int, sizes ...int) bool {
	return t.Fed[feed] && t.knows(sizes)
}

func (t *Told) knows(sizes []int) bool {
	for _, k := range sizes {
		if !t.Known[k] {
			return false
		}
	}
	return true
}

// can reports whether a part can run.
func (t *Told) can(s *Stage) bool {
	for _, i := range s.Feeds {
		if !t.Fed[i] {
			return false
		}
	}
	return t.knows(s.Sizes)
}

// maxMissing is the most feeds that an error lists.
const maxMissing = 8

// missing lists the feeds that a part still needs.
func (s *Stages[D, I]) missing(part *Stage, t *Told) string {
	var names []string
	name := func(i int) string { return fmt.Sprintf("%q", s.Signature.Feeds[i].Name) }
	for _, i := range part.Feeds {
		if !t.Fed[i] {
			names = append(names, name(i))
		}
	}
	for _, k := range part.Sizes {
		if t.Known[k] {
			continue
		}
		var tell []string
		for _, i := range s.Tells[k] {
			tell = append(tell, name(i))
		}
		names = append(names, strings.Join(tell, " or "))
	}
	if more := len(names) - maxMissing; more > 0 {
		names = append(names[:maxMissing], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
