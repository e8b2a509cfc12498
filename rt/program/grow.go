package program

import (
	"io"
	"reflect"

	"github.com/graphc/graphc/rt/tensor"
)

// growing is a tensor that grows while its elements are read, because their number is not known in
// advance.
type growing struct {
	t     *tensor.Tensor
	n     int     // elements so far
	limit *budget // the limit of the run
}

// budget is the number of bytes that the feeds of a run may use in memory. While a feed is read, it
// may use about twice the number of bytes counted for it.
type budget struct{ limit, left int }

func newBudget(limit int) *budget { return &budget{limit, limit} }

func (b *budget) take(n int) error {
	if n > b.left {
		return tensor.Errorf(tensor.ResourceExhausted, "the feeds take more than %d bytes; --max-bytes raises the limit", b.limit)
	}
	b.left -= n
	return nil
}

// stringBytes is the size of a string without its characters.
var stringBytes = int(reflect.TypeFor[string]().Size())

// beginning is the initial capacity in elements.
const beginning = 64

func newGrowing(d tensor.DType, limit *budget) (*growing, error) {
	if !d.IsData() {
		return nil, tensor.Errorf(tensor.InvalidArgument, "elements of type %v cannot be fed", d)
	}
	return &growing{t: &tensor.Tensor{DType: d, Data: tensor.MakeSlice(d, beginning)}, limit: limit}, nil
}

// add appends the value that s spells.
func (g *growing) add(s string) error {
	if err := g.room(s); err != nil {
		return err
	}
	if err := setText(g.t, g.n, s); err != nil {
		return err
	}
	g.n++
	return nil
}

// room allocates memory, if needed, for the element that s spells.
func (g *growing) room(s string) error {
	size := g.t.DType.Size()
	if g.t.DType == tensor.String {
		size = stringBytes + len(s)
	}
	if err := g.limit.take(size); err != nil {
		return err
	}
	if v := reflect.ValueOf(g.t.Data); g.n == v.Len() {
		g.t.Data = tensor.MakeSlice(g.t.DType, 2*g.n)
		reflect.Copy(reflect.ValueOf(g.t.Data), v)
	}
	return nil
}

// done returns the tensor with the given shape.
func (g *growing) done(shape tensor.Shape) (*tensor.Tensor, error) {
	if n, err := shape.Len(); err != nil {
		return nil, err
	} else if n != g.n {
		return nil, tensor.Errorf(tensor.Internal, "%d elements for the shape %v", g.n, shape)
	}
	g.t.Data = reflect.ValueOf(g.t.Data).Slice3(0, g.n, g.n).Interface()
	g.t.Shape = shape
	return g.t, nil
}

// window is a reader for a parser that buffers some text, such as a line or a number. A read fails
// if the parser already buffers too much.
type window struct {
	r      io.Reader
	read   int64
	parsed func() int64 // returns the number of bytes that the parser has consumed
	most   int64
}

// parserBytes is how many bytes a parser may buffer even if the limit is smaller.
const parserBytes = 1 << 20

func newWindow(r io.Reader, limit *budget) *window {
	return &window{r: r, most: int64(limit.limit)/2 + parserBytes}
}

func (w *window) Read(b []byte) (int, error) {
	if w.read-w.parsed() > w.most {
		return 0, tensor.Errorf(tensor.ResourceExhausted, "a value or a line has more than %d bytes; --max-bytes raises the limit", w.most)
	}
	n, err := w.r.Read(b)
	w.read += int64(n)
	return n, err
}
