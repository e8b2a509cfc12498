package flops

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/pipeline"
)

// placeholder returns a Placeholder node in the text format of GraphDef.
func placeholder(name, dims string) string {
	return `node { name: "` + name + `" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { ` + dims + ` } } } }
`
}

const float = ` attr { key: "T" value { type: DT_FLOAT } }`

// TestFLOPs checks the counts for matrix products, convolutions and an op that has no
// multiply-adds.
func TestFLOPs(t *testing.T) {
	dims := func(s ...string) string {
		out := ""
		for _, d := range s {
			out += "dim { size: " + d + " } "
		}
		return out
	}
	strides := ` attr { key: "strides" value { list { i: [1, 2, 2, 1] } } } attr { key: "padding" value { s: "SAME" } }`
	for name, c := range map[string]struct {
		graph string
		want  string // with sizes unknown
		at1   int
	}{
		"matmul":     {placeholder("a", dims("2", "3")) + placeholder("b", dims("3", "5")) + `node { name: "y" op: "MatMul" input: "a" input: "b"` + float + `}`, "60", 60},
		"transposed": {placeholder("a", dims("3", "2")) + placeholder("b", dims("3", "5")) + `node { name: "y" op: "MatMul" input: "a" input: "b"` + float + ` attr { key: "transpose_a" value { b: true } } }`, "60", 60},
		"batch":      {placeholder("a", dims("-1", "3")) + placeholder("b", dims("3", "5")) + `node { name: "y" op: "MatMul" input: "a" input: "b"` + float + `}`, "30*d_a_0", 30},
		"conv":       {placeholder("a", dims("1", "8", "8", "3")) + placeholder("b", dims("3", "3", "3", "4")) + `node { name: "y" op: "Conv2D" input: "a" input: "b"` + float + strides + `}`, "3456", 2 * 4 * 4 * 4 * 27},
		"depthwise":  {placeholder("a", dims("1", "8", "8", "3")) + placeholder("b", dims("3", "3", "3", "2")) + `node { name: "y" op: "DepthwiseConv2dNative" input: "a" input: "b"` + float + strides + `}`, "1728", 2 * 4 * 4 * 6 * 9},
		"bmm":        {placeholder("a", dims("7", "2", "3")) + placeholder("b", dims("7", "3", "5")) + `node { name: "y" op: "BatchMatMulV2" input: "a" input: "b"` + float + `}`, "420", 420},
		"none":       {placeholder("a", dims("7")) + `node { name: "y" op: "Relu" input: "a"` + float + `}`, "0", 0},
	} {
		path := filepath.Join(t.TempDir(), "graph.pbtxt")
		if err := os.WriteFile(path, []byte(c.graph+"\nversions { producer: 1000 }"), 0o666); err != nil {
			t.Fatal(err)
		}
		m, err := frontend.Load([]string{path}, frontend.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := pipeline.CompileModel(m, pipeline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := Of(p.Signatures[0].Graph)
		if got, err := At(e, 1); err != nil || got != c.at1 || e.String() != c.want {
			t.Errorf("%s: %v, %d (%v), want %s, %d", name, e, got, err, c.want, c.at1)
		}
	}
}
