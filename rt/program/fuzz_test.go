package program

import (
	"bytes"
	"io"
	"testing"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// FuzzFeeds reads a text as a feed of several types. If the text is accepted, the tensor must be
// within the memory limit and its elements must fit its shape. Printed as JSON and read again, it
// must be the same tensor.
func FuzzFeeds(f *testing.F) {
	for _, text := range []string{"[[1, 2], [3, 4]]", "[[], []]", "[[[]]]", "1.5e3", `["a", {"b64": "/w=="}, "\u0000"]`, `"NaN"`, "[true, false]", `["1+2i"]`, "1, 2\n3, 4\n", "# c\n\"a\"\"b\",c\n", "[1] 2", "[[1],2]", `{"b64": 1}`, "[-0.0, 1e-400]"} {
		for d := range uint8(4) {
			f.Add([]byte(text), d, d%2 == 0)
		}
	}
	types := []tensor.DType{tensor.Float32, tensor.String, tensor.Bool, tensor.Int8, tensor.Complex64, tensor.Uint64, tensor.Half}
	const most = 1 << 12
	f.Fuzz(func(t *testing.T, text []byte, d uint8, csv bool) {
		p := &rt.Port{DType: types[int(d)%len(types)], AnyRank: true}
		read := readJSON
		if csv {
			read = readCSV
		}
		x, err := read(p, bytes.NewReader(text), newBudget(most))
		if err != nil {
			if tensor.CodeOf(err) == tensor.Internal || tensor.CodeOf(err) == tensor.Unknown {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		n, err := x.Shape.Len()
		if err != nil || n != x.Len() || bytesOf(x) > most {
			t.Fatalf("%q: %v has %d elements, %v", text, x, x.Len(), err)
		}
		out := &printer{w: io.Discard}
		out.lists(x, 0, x.Shape)
		y, err := readJSON(p, bytes.NewReader(out.b), newBudget(2*most))
		// if a tensor has no elements, the printed text does not determine all of its dimensions
		if err != nil || n > 0 && !y.Shape.Equal(x.Shape) {
			t.Fatalf("%q is printed as %q, which reads as %v, %v", text, out.b, y, err)
		}
		for i := range n {
			if elementText(x, i) != elementText(y, i) {
				t.Errorf("%q: element %d is %s, and %s when it is read back", text, i, elementText(x, i), elementText(y, i))
			}
		}
	})
}
