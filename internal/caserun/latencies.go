package caserun

import "math/bits"

// latencies counts the latencies of calls in buckets. A bucket is at most 1/128 as wide as the
// latencies in it, so the memory does not depend on the number of calls, and counting a latency
// allocates nothing.
type latencies struct {
	counts [buckets]uint32
	n      int
	most   int64 // the largest latency
}

// Latencies below 2·parts have one bucket each. Above, each power of two is divided into the same
// number of buckets, which is the constant parts.
const (
	parts   = 128
	buckets = (63-8)*parts + 2*parts
)

// bucket returns the index of the bucket for a latency in nanoseconds.
func bucket(ns int64) int {
	shift := max(0, bits.Len64(uint64(ns))-8)
	return shift*parts + int(ns>>shift)
}

// middle returns the middle of the latencies that belong to bucket i.
func middle(i int) int64 {
	if i < 2*parts {
		return int64(i)
	}
	shift := i/parts - 1
	return int64(i-shift*parts)<<shift + 1<<shift/2
}

// add counts a latency in nanoseconds.
func (l *latencies) add(ns int64) {
	ns = max(ns, 0)
	l.counts[bucket(ns)]++
	l.n++
	l.most = max(l.most, ns)
}

// merge adds the latencies that m has counted.
func (l *latencies) merge(m *latencies) {
	for i, n := range m.counts {
		l.counts[i] += n
	}
	l.n += m.n
	l.most = max(l.most, m.most)
}

// at returns the latency that is at position k if all latencies are sorted. It differs from the
// exact latency by less than half a percent.
func (l *latencies) at(k int) int64 {
	for i, n := range l.counts {
		if k -= int(n); k < 0 {
			return min(middle(i), l.most)
		}
	}
	return l.most
}
