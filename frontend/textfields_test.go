package frontend

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/frontend/pb"
)

// TestTextFields: a field that TensorFlow does not know is rejected in text. A field that it knows
// is accepted, whether graphc reads it or not.
func TestTextFields(t *testing.T) {
	for _, c := range []struct{ text, refused string }{
		{`node { name: "a" op: "NoOp" }`, ""},
		{`node { name: "a" op: "NoOp" nothing: 1 }`, "unknown field: nothing"},
		{`nothing { a: 1 }`, "unknown field: nothing"},
		{`[type.googleapis.com/tensorflow.GraphDef] { node { name: "a" } }`, "type.googleapis.com"},
		{`node { name: "a" attr { key: "x" value { any { } } } }`, "unknown field: any"},
		{`node { name: "a" op: "NoOp" experimental_type { type_id: TFT_PRODUCT args { type_id: TFT_TENSOR s: "}" } } }
debug_info < files: ["a", "b"] traces { key: "x" value { } } >  # a comment }
library { registered_gradients: [{ gradient_func: "f" }, { }] function { signature { name: "f" input_arg { name: "x" experimental_full_type: { } type: DT_FLOAT } } } }`, ""},
		{`node { name: "debug_info" op: 'registered_gradients' }`, ""},
		{`debug_info: }`, "unknown field"},
		{`debug_info`, "unknown field"},
		{`debug_info { "`, "unknown field"},
	} {
		def := &pb.GraphDef{}
		err := unmarshalText([]byte(c.text), def, 100)
		if (err != nil) != (c.refused != "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: %v, want %q", c.text, err, c.refused)
		}
		if err == nil && len(def.Node) != 1 {
			t.Errorf("%s: %d nodes", c.text, len(def.Node))
		}
	}
}
