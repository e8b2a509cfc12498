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

// writeJSON prints results as one object, a member a fetch.
func writeJSON(w io.Writer, sig *rt.Signature, got map[string]*tensor.Tensor) error {
	if len(sig.Fetches) == 0 {
		_, err := io.WriteString(w, "{}\n")
		return err
	}
	b := []byte("{")
	for i := range sig.Fetches {
		if i > 0 {
			b = append(b, ',')
		}
		p := &sig.Fetches[i]
		b = append(b, "\n  "...)
		b = appendJSONString(b, fetchName(p))
		b = append(b, ": "...)
		n := 0
		b = appendJSON(b, got[p.Name], &n, got[p.Name].Shape)
		if len(b) > 1<<20 {
			if _, err := w.Write(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	_, err := w.Write(append(b, "\n}\n"...))
	return err
}

// fetchName is the name a result is printed under.
func fetchName(p *rt.Port) string {
	if p.Key != "" {
		return p.Key
	}
	return p.Name
}

func appendJSON(b []byte, t *tensor.Tensor, n *int, shape tensor.Shape) []byte {
	if len(shape) > 0 {
		b = append(b, '[')
		for i := range shape[0] {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = appendJSON(b, t, n, shape[1:])
		}
		return append(b, ']')
	}
	i := *n
	*n++
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
	q, _ := json.Marshal(s) // of a string it does not fail
	return append(b, q...)
}

// elementText spells element i so that setText reads it back.
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
		Shape []any  `json:"shape"` // null where the rank is open
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
