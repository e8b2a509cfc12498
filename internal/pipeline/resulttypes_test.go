package pipeline

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestResultTypes checks graphs with invalid result types. The compiler must reject a result type
// that no kernel produces, and a number of results that differs from the length of the list of
// types. It must accept indices and updates of unknown rank.
func TestResultTypes(t *testing.T) {
	feed := func(name, dtype string, dims ...string) string {
		s := `node { name: "` + name + `" op: "Placeholder" attr { key: "dtype" value { type: ` + dtype + ` } } attr { key: "shape" value { shape {`
		for _, d := range dims {
			s += ` dim { size: ` + d + ` }`
		}
		return s + ` } } } }` + "\n"
	}
	typ := func(attr, dtype string) string { return ` attr { key: "` + attr + `" value { type: ` + dtype + ` } }` }
	empty := func(name string) string {
		return `node { name: "` + name + `" op: "Const" attr { key: "dtype" value { type: DT_STRING } } attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { dim { size: 0 } } } } } }` + "\n"
	}
	none := func(attr string) string { return ` attr { key: "` + attr + `" value { list { } } }` }
	for _, c := range []struct {
		name, text string
		code       tensor.Code
	}{
		{"BatchMatMulV3", feed("x", "DT_FLOAT", "4", "2", "3") + feed("w", "DT_FLOAT", "3", "5") +
			`node { name: "y" op: "BatchMatMulV3" input: "x" input: "w"` + typ("Ta", "DT_FLOAT") + typ("Tb", "DT_FLOAT") + typ("Tout", "DT_DOUBLE") + ` }`, tensor.InvalidArgument},
		{"QuantizedBiasAdd", feed("x", "DT_QUINT8", "2", "3") + feed("w", "DT_QUINT8", "3") + feed("a", "DT_FLOAT") + feed("b", "DT_FLOAT") +
			`node { name: "y" op: "QuantizedBiasAdd" input: "x" input: "w" input: "a" input: "b" input: "a" input: "b"` + typ("T1", "DT_QUINT8") + typ("T2", "DT_QUINT8") + typ("out_type", "DT_QINT8") + ` }`,
			tensor.InvalidArgument},
		{"TensorScatterUpdate", feed("x", "DT_FLOAT", "0") + strings.Replace(anyFloat, `"x"`, `"w"`, 1) +
			`node { name: "a" op: "Placeholder"` + typ("dtype", "DT_INT32") + ` attr { key: "shape" value { shape { unknown_rank: true } } } }` +
			`node { name: "y" op: "TensorScatterUpdate" input: "x" input: "a" input: "w"` + typ("T", "DT_FLOAT") + typ("Tindices", "DT_INT32") + ` }`, tensor.OK},
		{"ParseExampleV2", feed("x", "DT_STRING", "2") + empty("names") + empty("w") +
			`node { name: "y" op: "ParseExampleV2" input: "x" input: "names" input: "w" input: "w" input: "w" attr { key: "num_sparse" value { i: 2 } }` + none("sparse_types") +
			none("Tdense") + none("ragged_value_types") +
			none("ragged_split_types") + none("dense_shapes") + ` }`, tensor.InvalidArgument},
	} {
		o := Options{Feeds: []string{"x:0"}, Fetches: []string{"y:0"}, Check: true}
		for _, f := range []string{"w", "a", "b"} {
			if strings.Contains(c.text, `name: "`+f+`" op: "Placeholder"`) {
				o.Feeds = append(o.Feeds, f+":0")
			}
		}
		if _, err := CompileModel(textModel(t, c.text), o); tensor.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %v", c.name, err, c.code)
		}
	}
}
