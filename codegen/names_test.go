package codegen

import (
	"go/token"
	"strings"
	"testing"
	"unicode"

	"github.com/graphc/graphc/plan"
)

func TestExported(t *testing.T) {
	for name, want := range map[string]string{
		"serving_default": "ServingDefault", "x:0": "X", "x:1": "X1", "dense/BiasAdd:0": "DenseBiasAdd", "type": "Type",
		"input_ids": "InputIDs", "1st": "X1st", "": "", ":0": "", "---": "", "*/ x": "X", "größe": "Größe", "中文": "X中文",
		"StatefulPartitionedCall:0": "StatefulPartitionedCall", "user_id": "UserID", "a\x00b": "AB", "\xff": "", "é́x": "ÉX",
	} {
		got := exported(name, maxField)
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
		if n := exported(s, maxField); n != "" && (!token.IsIdentifier(n) || !token.IsExported(n)) {
			t.Errorf("%q: %q", s, n)
		}
		for _, r := range quote(s) {
			if !unicode.IsPrint(r) {
				t.Errorf("%q is quoted with %U", s, r)
			}
		}
	})
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

// TestPrefixesDiffer: names for a signature's work on a device differ from all names of other
// signatures.
func TestPrefixesDiffer(t *testing.T) {
	e := &emitter{Package: &Package{Name: "p"}}
	for _, n := range []string{"foo_work", "foo", "bar", "bar_work"} {
		p := staticPlan()
		if p.Name = n; n == "foo" || n == "bar" {
			p.Device = "/job:localhost/replica:0/task:0/device:GPU:0"
		}
		e.Plans = append(e.Plans, p)
		e.calls = append(e.calls, &signature{plan: p, layout: &plan.Layout{}})
	}
	if err := e.group(); err != nil {
		t.Fatal(err)
	}
	if err := e.name(); err != nil {
		t.Fatal(err)
	}
	var prefixes []string
	for _, s := range e.calls {
		prefixes = append(prefixes, s.prefix)
	}
	if got, want := strings.Join(prefixes, " "), "fooWork foo2 bar barWork2"; got != want {
		t.Errorf("prefixes %s, want %s", got, want)
	}
}

func TestResourceNames(t *testing.T) {
	for _, c := range []struct{ buf, field, text string }{
		{"variable /dense/kernel", "denseKernel", `variable "dense/kernel"`},
		{"variable box/v:0", "v", `variable "v:0" in container "box"`},
		{"table::vocabulary", "vocabulary", `table "vocabulary"`},
		{"queue:shared:a:b", "ab", `queue "a:b" in container "shared"`},
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
