package repl

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/rt/tensor"
)

// statistics has the statistics that the command summary prints for a tensor of numbers. NaN and
// infinities are only counted; they do not affect the minimum, the maximum, the mean and the
// standard deviation.
type statistics struct {
	n, finite      int
	nan, inf, zero int
	min, max       float64
	// mean and std are those of the finite elements. The standard deviation std divides by the
	// number of finite elements, not by this number minus one.
	mean, std float64
}

// statisticsOf computes the statistics of n elements in a single pass, by Welford's method. The
// function at returns element i.
func statisticsOf(n int, at func(i int) float64) statistics {
	s := statistics{n: n, min: math.Inf(1), max: math.Inf(-1)}
	squares := 0.0
	for i := range n {
		x := at(i)
		switch {
		case math.IsNaN(x):
			s.nan++
			continue
		case math.IsInf(x, 0):
			s.inf++
			continue
		case x == 0:
			s.zero++
		}
		s.finite++
		d := x - s.mean
		s.mean += d / float64(s.finite)
		squares += d * (x - s.mean)
		s.min, s.max = min(s.min, x), max(s.max, x)
	}
	if s.finite > 0 {
		s.std = math.Sqrt(squares / float64(s.finite))
	}
	return s
}

// printSummary prints shape, element type and statistics of a tensor in one line.
func printSummary(w io.Writer, label string, t *tensor.Tensor) {
	fmt.Fprintf(w, "%s %v, %s", label, t, base.Plural(t.Len(), "element"))
	if list, ok := t.Data.([]string); ok {
		printStrings(w, list)
		return
	}
	at, ok := numbers(t)
	if !ok {
		fmt.Fprintln(w)
		return
	}
	s := statisticsOf(t.Len(), at)
	if s.finite > 0 {
		fmt.Fprintf(w, ": min %.6g, max %.6g, mean %.6g, std %.6g", s.min, s.max, s.mean, s.std)
	}
	fmt.Fprintf(w, "; %d NaN, %d Inf, %s\n", s.nan, s.inf, base.Plural(s.zero, "zero"))
}

// printStrings prints the end of the summary of a tensor of strings: the range of the lengths in
// bytes, and the number of empty strings.
func printStrings(w io.Writer, list []string) {
	lo, hi, empty := math.MaxInt, 0, 0
	for _, s := range list {
		lo, hi = min(lo, len(s)), max(hi, len(s))
		if s == "" {
			empty++
		}
	}
	if len(list) > 0 {
		fmt.Fprintf(w, ": %d to %d bytes, %d empty", lo, hi, empty)
	}
	fmt.Fprintln(w)
}

// histogramBins is the number of bins that the command hist prints.
const histogramBins = 12

// histogram counts finite elements in histogramBins bins of equal width between the smallest
// element and the largest. If all elements are equal, there is only one bin. The slice edges has
// the limits of the bins, one more than counts.
func histogram(n int, at func(i int) float64) (s statistics, edges []float64, counts []int) {
	s = statisticsOf(n, at)
	if s.finite == 0 {
		return s, nil, nil
	}
	bins := histogramBins
	if s.min == s.max {
		bins = 1
	}
	counts = make([]int, bins)
	for i := range bins + 1 {
		f := float64(i) / float64(bins)
		edges = append(edges, s.min*(1-f)+s.max*f) // s.max-s.min could overflow
	}
	for i := range n {
		x := at(i)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		k := 0
		if bins > 1 {
			k = int((x/2 - s.min/2) / (s.max/2 - s.min/2) * float64(bins))
		}
		counts[min(k, bins-1)]++
	}
	return s, edges, counts
}

// printHistogram prints a histogram of the elements of t, with one line and a bar for each bin.
func printHistogram(w io.Writer, label string, t *tensor.Tensor, sc screen) error {
	at, ok := numbers(t)
	if !ok {
		return base.Usagef("%s is %v: only numbers have a histogram", label, t)
	}
	fmt.Fprintf(w, "%s %v\n", label, t)
	s, edges, counts := histogram(t.Len(), at)
	most := 0
	var left []string
	wide, wideCount := 0, 0
	for i, c := range counts {
		most = max(most, c)
		left = append(left, fmt.Sprintf("%.4g", edges[i]))
		wide, wideCount = max(wide, len(left[i])), max(wideCount, len(fmt.Sprint(c)))
	}
	room := max(sc.width-wide-wideCount-4, 8)
	for i, c := range counts {
		fmt.Fprintf(w, "%*s  %*d  %s\n", wide, left[i], wideCount, c, sc.bar(float64(c)/float64(most), room))
	}
	if s.finite > 0 {
		fmt.Fprintf(w, "%*s\n", wide, fmt.Sprintf("%.4g", s.max))
	}
	if s.nan+s.inf > 0 || s.finite == 0 {
		fmt.Fprintf(w, "%d NaN, %d Inf\n", s.nan, s.inf)
	}
	return nil
}

// bar returns a bar whose length in characters is the product of part and room. With colours, the
// length is rounded up to eighths of a character. Without colours, the bar consists of # and its
// length is rounded up to whole characters.
func (sc screen) bar(part float64, room int) string {
	if sc.colors == noColors {
		return strings.Repeat("#", int(math.Ceil(part*float64(room))))
	}
	eighths := int(math.Ceil(part * float64(room) * 8))
	bar := strings.Repeat("█", eighths/8)
	if r := eighths % 8; r > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[r-1])
	}
	return bar
}
