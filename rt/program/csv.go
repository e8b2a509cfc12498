package program

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// readCSV reads rows of values, one row for each index of the first dimension. The values of a row
// fill the feed's other dimensions.
func readCSV(p *rt.Port, r io.Reader, limit *budget) (*tensor.Tensor, error) {
	w := newWindow(r, limit)
	cr := csv.NewReader(w)
	var done int64 // the offset after the last complete row; a row with quotes may have many lines
	w.parsed = func() int64 { return done }
	cr.TrimLeadingSpace, cr.Comment, cr.ReuseRecord = true, '#', true
	out, err := newGrowing(p.DType, limit)
	if err != nil {
		return nil, err
	}
	rows, cols := 0, 0
	for ; ; rows++ {
		row, err := cr.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, textError(err)
		}
		done, cols = cr.InputOffset(), len(row)
		for j, v := range row {
			// Clone the value, so that a string does not keep its whole row alive.
			if err := out.add(strings.Clone(strings.TrimSpace(v))); err != nil {
				return nil, tensor.Errorf(tensor.CodeOf(err), "row %d, column %d: %s", rows+1, j+1, tensor.Message(err))
			}
		}
	}
	shape := csvShape(p, rows, cols)
	if n, err := shape.Len(); err != nil || n != rows*cols {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%d rows of %d values do not fill %v", rows, cols, p)
	}
	return out.done(shape)
}

// csvShape returns the shape of rows of values for the feed. If the feed's rank is not fixed, rows
// of one value are a vector, provided that the feed accepts rank 1; other rows are a matrix.
func csvShape(p *rt.Port, rows, cols int) tensor.Shape {
	if p.AnyRank {
		takes := func(rank int) bool { return p.Ranks == nil || slices.Contains(p.Ranks, rank) }
		switch {
		case !takes(2) && !takes(1):
			return tensor.Shape{}
		case !takes(2), cols == 1 && takes(1):
			return tensor.Shape{rows * cols}
		}
		return tensor.Shape{rows, cols}
	}
	shape := append(tensor.Shape(nil), p.Shape...)
	switch len(shape) {
	case 0:
		return shape
	case 1:
		return tensor.Shape{rows * cols}
	}
	if shape[0] == 1 && shape[1] == rows { // one item, such as an image, with a line for each of its rows
		rows, cols = 1, rows*cols
	}
	if shape[0] < 0 {
		shape[0] = rows
	}
	left, free := cols, -1
	for a, d := range shape[1:] {
		switch {
		case d < 0 && free < 0:
			free = a + 1
		case d < 0:
			shape[a+1] = 1
		case d > 0:
			left /= d
		}
	}
	if free > 0 {
		shape[free] = left
	}
	return shape
}
