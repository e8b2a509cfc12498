package program

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// writeJSON prints results as one object with a member for each fetch.
func writeJSON(w io.Writer, sig *rt.Signature, got map[string]*tensor.Tensor) error {
	if len(sig.Fetches) == 0 {
		_, err := io.WriteString(w, "{}\n")
		return err
	}
	out := &printer{w: w, b: []byte("{")}
	for i := range sig.Fetches {
		if i > 0 {
			out.b = append(out.b, ',')
		}
		p := &sig.Fetches[i]
		t := got[p.Name]
		if n := emptyLists(t.Shape); n > maxEmpty {
			return tensor.Errorf(tensor.ResourceExhausted, "the result %q has the shape %v, which is more than %d empty lists of JSON; an .npz file holds it", fetchName(p), t.Shape, maxEmpty)
		}
		out.b = append(out.b, "\n  "...)
		out.b = appendJSONString(out.b, fetchName(p))
		out.b = append(out.b, ": "...)
		out.lists(t, 0, t.Shape)
	}
	out.b = append(out.b, "\n}\n"...)
	out.flush()
	return out.err
}

// maxEmpty bounds how many empty lists are printed for a result that has no elements. Such a result
// may still have large dimensions before the one that is zero.
const maxEmpty = 1 << 20

// emptyLists returns how many empty lists a tensor of the shape contains in JSON, or some number
// greater than maxEmpty if there are more than maxEmpty.
func emptyLists(shape tensor.Shape) int {
	n := 1
	for _, d := range shape {
		switch {
		case d == 0:
			return n
		case n <= maxEmpty && d > maxEmpty/n:
			n = maxEmpty + 1
		case n <= maxEmpty:
			n *= d
		}
	}
	return 0
}

// printer writes in pieces and keeps the first error.
type printer struct {
	w   io.Writer
	b   []byte
	err error
}

func (p *printer) flush() {
	if p.err == nil {
		_, p.err = p.w.Write(p.b)
	}
	p.b = p.b[:0]
}

// fetchName returns the name under which a result is printed.
func fetchName(p *rt.Port) string {
	if p.Key != "" {
		return p.Key
	}
	return p.Name
}

// lists prints the elements from n on as nested lists, and returns the index of the next element.
func (p *printer) lists(t *tensor.Tensor, n int, shape tensor.Shape) int {
	if len(shape) == 0 {
		p.b = appendElement(p.b, t, n)
		return n + 1
	}
	p.b = append(p.b, '[')
	for i := range shape[0] {
		if i > 0 {
			p.b = append(p.b, ", "...)
		}
		n = p.lists(t, n, shape[1:])
		if len(p.b) > 1<<20 {
			p.flush()
		}
		if p.err != nil {
			return n
		}
	}
	p.b = append(p.b, ']')
	return n
}

func appendElement(b []byte, t *tensor.Tensor, i int) []byte {
	s := elementText(t, i)
	switch {
	case t.DType == tensor.String && !utf8.ValidString(s):
		b = append(b, `{"b64": "`...)
		b = base64.StdEncoding.AppendEncode(b, []byte(s))
		return append(b, `"}`...)
	case t.DType == tensor.String || t.DType.IsComplex() || s == "NaN" || strings.HasSuffix(s, "Infinity"):
		return appendJSONString(b, s)
	}
	return append(b, s...)
}

func appendJSONString(b []byte, s string) []byte {
	q, _ := json.Marshal(s) // json.Marshal does not fail for strings
	return append(b, q...)
}

// elementText formats element i so that setText can parse it.
func elementText(t *tensor.Tensor, i int) string {
	switch d := t.Data.(type) {
	case []string:
		return d[i]
	case []float32:
		return floatText(float64(d[i]), 32)
	case []float64:
		return floatText(d[i], 64)
	case []tensor.F16:
		return floatText(float64(d[i].Float32()), 32)
	case []tensor.BF16:
		return floatText(float64(d[i].Float32()), 32)
	case []complex64:
		return strconv.FormatComplex(complex128(d[i]), 'g', -1, 64)
	case []complex128:
		return strconv.FormatComplex(d[i], 'g', -1, 128)
	}
	return fmt.Sprint(reflect.ValueOf(t.Data).Index(i).Interface())
}

func floatText(x float64, bits int) string {
	s := strconv.FormatFloat(x, 'g', -1, bits)
	switch s {
	case "+Inf":
		return "Infinity"
	case "-Inf":
		return "-Infinity"
	}
	return s
}

// writeInfo prints signatures as JSON.
func writeInfo(w io.Writer, sigs []*rt.Signature) error {
	type port struct {
		Name  string `json:"name"`
		Key   string `json:"key,omitempty"`
		DType string `json:"dtype"`
		Shape []any  `json:"shape"` // null if the rank is not fixed
		Ranks []int  `json:"ranks,omitempty"`
	}
	type signature struct {
		Name    string `json:"name"`
		Method  string `json:"method"`
		Feeds   []port `json:"feeds"`
		Fetches []port `json:"fetches"`
	}
	ports := func(ps []rt.Port) []port {
		out := []port{}
		for _, p := range ps {
			q := port{p.Name, p.Key, p.DType.TFName(), []any{}, p.Ranks}
			if p.AnyRank {
				q.Shape = nil
			}
			for a, d := range p.Shape {
				if d < 0 {
					q.Shape = append(q.Shape, p.Dim(a))
				} else {
					q.Shape = append(q.Shape, d)
				}
			}
			out = append(out, q)
		}
		return out
	}
	all := []signature{}
	for _, s := range sigs {
		all = append(all, signature{s.Name, s.Method, ports(s.Feeds), ports(s.Fetches)})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(all)
}
