package strs

import (
	"math"
	"strings"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// NGramParams describes n-grams. Each row is padded with Pad copies of Left on the left and of Right
// on the right, but at most width-1 of each; a negative Pad means width-1. If Short is set, a row
// that is too short for an n-gram of any width still gives one n-gram, of the whole row.
type NGramParams struct {
	Separator, Left, Right string
	Pad                    int
	Short                  bool
}

// ngramBytes is the largest total size of the n-grams of one call.
const ngramBytes = 1 << 29

// pad returns the number of copies of Left, and of Right, that pad a row for n-grams of a width.
func (p *NGramParams) pad(width int) int {
	if p.Pad < 0 {
		return width - 1
	}
	return min(p.Pad, width-1)
}

// count returns the number of n-grams of a width in a row of n strings. It returns InvalidArgument
// if the length of the padded row could exceed an int32.
func (p *NGramParams) count(n, width int) (int, error) {
	pad := p.pad(width)
	if pad > math.MaxInt32/2-n {
		return 0, tensor.Errorf(tensor.InvalidArgument, "Pad width could lead to integer overflow, got pad_width = %d", pad)
	}
	return max(0, n+2*pad-width+1), nil
}

// NGramSplits checks the row splits of data, which has n strings, and writes the row splits of the
// n-grams of all widths. It returns the number of n-grams. As in TensorFlow, if there are no row
// splits, the result is n empty n-grams. NGramSplits returns InvalidArgument unless the row splits
// begin with 0, do not decrease and end with n. It returns ResourceExhausted if the n-grams
// together exceed 512 MiB or the memory that the run may still use.
func NGramSplits(run *mem.Budget, dst []int64, data []string, splits []int64, widths []int, p NGramParams) (int, error) {
	n := len(data)
	for i, v := range splits {
		low := int64(0)
		if i > 0 {
			low = splits[i-1]
		}
		if i == 0 && v != 0 {
			return 0, tensor.Errorf(tensor.InvalidArgument, "First split value must be 0, got %d", v)
		}
		if v < low || v > int64(n) {
			return 0, tensor.Errorf(tensor.InvalidArgument, "Invalid split value %d, must be in [%d, %d]", v, low, n)
		}
	}
	if len(splits) > 0 && splits[len(splits)-1] != int64(n) {
		return 0, tensor.Errorf(tensor.InvalidArgument, "Last split value must be data size. Expected %d, got %d", n, splits[len(splits)-1])
	}
	if n == 0 || len(splits) == 0 {
		clear(dst)
		return n, nil
	}
	dst[0] = 0
	bytes := 0.0
	for r := range len(splits) - 1 {
		row := data[splits[r]:splits[r+1]]
		size := 0
		for _, s := range row {
			size += len(s) + len(p.Separator)
		}
		total := 0
		for _, w := range widths {
			k, err := p.count(len(row), w)
			if err != nil {
				return 0, err
			}
			total += k
			pads := float64(p.pad(w))
			bytes += float64(size)*min(float64(w), float64(k)) + min(float64(k), 2*pads)*pads*float64(max(len(p.Left), len(p.Right))+len(p.Separator))
		}
		if p.Short && len(row) > 0 && total == 0 {
			if p.Pad < 0 || p.Pad > (math.MaxInt32-len(row))/2 {
				return 0, tensor.Errorf(tensor.InvalidArgument, "Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are not provided, got %d", p.Pad)
			}
			total = 1
			bytes += float64(size) + float64(p.Pad)*float64(len(p.Left)+len(p.Right)+2*len(p.Separator))
		}
		dst[r+1] = dst[r] + int64(total)
	}
	if bytes > ngramBytes {
		return 0, tensor.Errorf(tensor.ResourceExhausted, "the n-grams would take about %.0f bytes, %d are possible", bytes, ngramBytes)
	}
	return int(dst[len(splits)-1]), run.Make(int(bytes))
}

// NGrams writes the n-grams of each row, width after width. NGramSplits must have
// accepted the splits.
func NGrams(dst, data []string, splits []int64, widths []int, p NGramParams) {
	if len(data) == 0 || len(splits) == 0 {
		clear(dst)
		return
	}
	for r := range len(splits) - 1 {
		row := data[splits[r]:splits[r+1]]
		any := false
		for _, w := range widths {
			k, _ := p.count(len(row), w)
			any = any || k > 0
			p.make(dst[:k], row, w)
			dst = dst[k:]
		}
		if p.Short && !any && len(row) > 0 {
			p.make(dst[:1], row, len(row)+2*p.Pad)
			dst = dst[1:]
		}
	}
}

// make writes all n-grams of a width.
func (p *NGramParams) make(dst, row []string, width int) {
	pad := p.pad(width)
	var b strings.Builder
	for i := range dst {
		left, right := max(0, pad-i), max(0, pad-(len(dst)-i-1))
		first := 0
		if left == 0 {
			first = i - pad
		}
		b.Reset()
		n := 0
		add := func(s string) {
			if n > 0 {
				b.WriteString(p.Separator)
			}
			b.WriteString(s)
			n++
		}
		for range left {
			add(p.Left)
		}
		for _, s := range row[first:][:width-left-right] {
			add(s)
		}
		for range right {
			add(p.Right)
		}
		dst[i] = b.String()
	}
}
