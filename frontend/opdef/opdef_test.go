package opdef

import (
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// TestTableRoundTrip: parsing a line of the table and formatting the result with Format gives the
// same line.
func TestTableRoundTrip(t *testing.T) {
	n, count := 0, map[string]int{}
	last := ""
	for l := range strings.Lines(table) {
		l = strings.TrimSuffix(l, "\n")
		o, err := parse(l)
		if err != nil {
			t.Fatal(err)
		}
		if got := Format(o); got != l {
			t.Errorf("printed again:\n%s\nwant\n%s", got, l)
		}
		if o.Name <= last {
			t.Errorf("%q stands after %q", o.Name, last)
		}
		last = o.Name
		n++
		for _, f := range flags {
			if *f.of(o) {
				count[f.name]++
			}
		}
		if o.Deprecated > 0 {
			count["deprecated"]++
		}
		for _, a := range slices.Concat(o.Ins, o.Outs) {
			for _, ref := range []string{a.TypeAttr, a.NumberAttr, a.TypeListAttr} {
				if ref != "" && o.Attr(ref) == nil {
					t.Errorf("%s: argument %s depends on attribute %s, which is not declared", o.Name, a.Name, ref)
				}
			}
		}
	}
	if n != 1908 {
		t.Errorf("%d ops, want 1908", n)
	}
	for f, want := range map[string]int{"stateful": 555, "commutative": 14, "aggregate": 4, "uninitialized": 12, "deprecated": 63} {
		if count[f] != want {
			t.Errorf("%d ops are %s, want %d", count[f], f, want)
		}
	}
}

func TestLookup(t *testing.T) {
	c := Lookup("Conv2D")
	if c == nil || len(c.Ins) != 2 || c.Ins[1].Name != "filter" || c.Ins[1].TypeAttr != "T" {
		t.Fatalf("Conv2D: %+v", c)
	}
	if a := c.Attr("dilations"); !a.HasDefault || !slices.Equal(a.Default.([]int64), []int64{1, 1, 1, 1}) {
		t.Errorf("dilations: %+v", a)
	}
	if a := c.Attr("padding"); !slices.Equal(a.Strings, []string{"SAME", "VALID", "EXPLICIT"}) {
		t.Errorf("padding: %+v", a)
	}
	if a := c.Attr("T"); !slices.Contains(a.Types, tensor.Half) || slices.Contains(a.Types, tensor.String) {
		t.Errorf("T: %+v", a)
	}
	if a := Lookup("Assign"); !a.HasRef() || !a.AllowsUninitialized || !a.Outs[0].Ref {
		t.Errorf("Assign: %+v", a)
	}
	if a := Lookup("Placeholder").Attr("shape"); !a.Default.(ir.PartialShape).UnknownRank {
		t.Errorf("Placeholder.shape: %+v", a)
	}
	if a := Lookup("ImageSummary").Attr("bad_color"); a.Default.(*tensor.Tensor).String() != "u8[4]" {
		t.Errorf("ImageSummary.bad_color: %+v", a)
	}
	if o := Lookup("TopK"); o.Deprecated != 7 {
		t.Errorf("TopK: deprecated at %d", o.Deprecated)
	}
	if Lookup("NoSuchOp") != nil {
		t.Error("NoSuchOp is known")
	}
}

func TestParseErrors(t *testing.T) {
	for _, l := range []string{"", "A", "A(x:T", "A(x:.f33) -> () {}", "A() -> () {n:int = x}", "A() -> () {s:string = q}",
		"A() -> () {k:strange = [1]}", "A() -> () {} nonsense", "A() -> () {s:shape = <1}", "A() -> () {t:type in #999}"} {
		if _, err := parse(l); err == nil {
			t.Errorf("%q is read", l)
		}
	}
}
