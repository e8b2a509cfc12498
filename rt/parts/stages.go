package parts

import (
	"fmt"
	"strings"

	"github.com/graphc/graphc/rt"
)

// Stage is a part of a signature that can be run in steps.
type Stage struct {
	Feeds   []int // that must be given before it can run
	Sizes   []int // that none of these feeds tells, and that must be known
	Fetches []int // that it gives
}

// Stages describes a signature that can be run in steps.
type Stages[D comparable, I any] struct {
	Signature *rt.Signature
	Parts     []Stage // each after those that hand it anything
	// Tells lists, for each size, the feeds that tell it.
	Tells [][]int
	// Bind checks the shape of a feed and reads the sizes that it tells.
	Bind func(feed int, in *I, d *D, t *Told) error
}

// Told is what feeds have told so far.
type Told struct {
	Fed   []bool // by feed
	Known []bool // by size
}

// Size reads a size off an axis of a feed, or checks it where it is known.
func (t *Told) Size(s *rt.Signature, feed, axis, got, size int, d *int) error {
	if t.Known[size] {
		return s.CheckDim(feed, axis, got, *d)
	}
	*d, t.Known[size] = got, true
	return nil
}

// Has reports that a feed is given and sizes are known.
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

// can reports that a part can run.
func (t *Told) can(s *Stage) bool {
	for _, i := range s.Feeds {
		if !t.Fed[i] {
			return false
		}
	}
	return t.knows(s.Sizes)
}

// maxMissing is how many feeds an error lists.
const maxMissing = 8

// missing names the feeds that a part still needs.
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
