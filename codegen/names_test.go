package codegen

import (
	"go/token"
	"strings"
	"testing"
	"unicode"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

func TestExported(t *testing.T) {
	for name, want := range map[string]string{
		"serving_default": "ServingDefault", "x:0": "X", "x:1": "X1", "dense/BiasAdd:0": "DenseBiasAdd", "type": "Type",
		"input_ids": "InputIDs", "1st": "X1st", "": "", ":0": "", "---": "", "*/ x": "X", "größe": "Größe", "中文": "X中文",
		"StatefulPartitionedCall:0": "StatefulPartitionedCall", "user_id": "UserID", "a\x00b": "AB", "\xff": "", "é́x": "ÉX",
	} {
		got := exported(name)
		if got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
		if got != "" && (!token.IsIdentifier(got) || !token.IsExported(got)) {
			t.Errorf("%q: %q is no exported identifier", name, got)
		}
	}
}

func FuzzExported(f *testing.F) {
	f.Add("a-b")
	f.Fuzz(func(t *testing.T, s string) {
		if n := exported(s); n != "" && (!token.IsIdentifier(n) || !token.IsExported(n)) {
			t.Errorf("%q: %q", s, n)
		}
		for _, r := range quote(s) {
			if !unicode.IsPrint(r) {
				t.Errorf("%q is quoted with %U", s, r)
			}
		}
	})
}

func TestUnexported(t *testing.T) {
	for name, want := range map[string]string{"Predict": "predict", "IDs": "iDs", "ID": "id", "URLOf": "urlOf", "X中": "x中"} {
		if got := unexported(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestNamesDiffer: signatures, fields and files whose names collide get numbers.
func TestNamesDiffer(t *testing.T) {
	var plans []*plan.Plan
	for _, n := range []string{"foo", "foo_into", "Foo", "model", "linux", "", "run"} {
		p := staticPlan()
		p.Name = n
		plans = append(plans, p)
	}
	e := &emitter{Package: &Package{Name: "p", Plans: plans}}
	for _, p := range plans {
		l, err := p.Layout(0)
		if err != nil {
			t.Fatal(err)
		}
		e.calls = append(e.calls, &signature{plan: p, layout: l})
	}
	if err := e.group(); err != nil {
		t.Fatal(err)
	}
	if err := e.name(); err != nil {
		t.Fatal(err)
	}
	var methods, files []string
	for _, s := range e.calls {
		methods, files = append(methods, s.method), append(files, s.file)
	}
	if got, want := strings.Join(methods, " "), "Foo FooInto2 Foo2 Model2 Linux Predict Run2"; got != want {
		t.Errorf("methods %s, want %s", got, want)
	}
	if got, want := strings.Join(files, " "), "p_foo p_foo_into2 p_foo2 p_model2 p_linux_gen p_predict p_run2"; got != want {
		t.Errorf("files %s, want %s", got, want)
	}
}

func TestSizeName(t *testing.T) {
	for name, want := range map[string]string{"B": "B", "type": "typesize", "input_ids": "inputIDs", "_": "size", "batch_size": "batchSize", "n_": "n",
		strings.Repeat("long", 10): strings.Repeat("long", 7), "日本": "日本"} {
		if got := sizeName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for node, want := range map[string]string{"rnn_while_body_TensorArrayV2Write": "while_body_TensorArrayV2Write", "Where": "Where", strings.Repeat("long", 10): strings.Repeat("long", 7), "": ""} {
		if got := lastWords(node); got != want {
			t.Errorf("%s: %s, want %s", node, got, want)
		}
	}
}

// TestNameSizes: sizes have names that differ, and that are no words of Go.
func TestNameSizes(t *testing.T) {
	s := &signature{bound: []string{"n_type", "n_a_b", "n_a__b", "v_range_i0", "n_x_0", "n"}, plan: &plan.Plan{
		Feeds: []plan.Feed{{Name: "scope/x:0"}, {Name: "other/x:0"}, {Name: "pixelsOfAllPicturesOfTheBatch"}, {Name: strings.Repeat("long_name_", 10)}},
		Dims:  []plan.Dim{{Name: "d_p_0", Feed: 2}, {Name: "d_p_10", Feed: 2, Axis: 10}, {Name: "d_l_0", Feed: 3}, {Name: "d_l_1", Feed: 3, Axis: 1}, {Name: "d_scope_x_0", Feed: 0}, {Name: "d_other_x_0", Feed: 1}, {Name: plan.NamedDim + "type", Feed: 1, Axis: 1}, {Name: plan.NamedDim + "B", Feed: 0, Axis: 1}}}}
	nameSizes(s)
	var got []string
	for _, d := range s.plan.Dims {
		got = append(got, s.field(d.Name))
	}
	for _, b := range s.bound {
		got = append(got, s.field(b))
	}
	if text := strings.Join(got, " "); text != "pixelsOfAllPicturesOfTheBatchDim0 pixelsOfAllPicturesOfTheBatchDim10 longNameLongNameLongNameLongDim0 longNameLongNameLongNameLongDim1 xDim0 xDim02 typesize B typesize2 ab ab2 rangeI0 x0 n" {
		t.Error(text)
	}
	if text := s.typeText(tensor.Float32, []*sym.Expr{sym.Var("d_other_x_0").Mul(sym.Var("n_a_b")), sym.Int(3)}); text != "f32[ab*xDim02,3]" {
		t.Error(text)
	}
}

func TestResourceNames(t *testing.T) {
	for _, c := range []struct{ buf, field, text string }{
		{"variable /dense/kernel", "denseKernel", `variable "dense/kernel"`},
		{"variable box/v:0", "v", `variable "v:0" of the container "box"`},
		{"table::vocabulary", "vocabulary", `table "vocabulary"`},
		{"queue:shared:a:b", "ab", `queue "a:b" of the container "shared"`},
		{"table@hash_table", "hashTable", `table "hash_table"`},
		{"reference /\u202e", "reference", `reference "\u202e"`},
		{"plain", "plain", `"plain"`},
		{"a/b c", "abc", `"a/b c"`},
		{"", "x", `""`},
	} {
		if f, text := resourceField(c.buf), resourceText(c.buf); f != c.field || text != c.text {
			t.Errorf("%q: %s, %s, want %s, %s", c.buf, f, text, c.field, c.text)
		}
	}
}
