package dump

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/history"
	"github.com/graphc/graphc/ir"
)

var update = flag.Bool("update", false, "rewrite the golden page")

// noPlan is the last argument of writePage in these tests. It returns nil for every signature, so the
// page shows no plans.
func noPlan(string) *pipeline.Signature { return nil }

// pageOf returns the HTML page that writePage writes for the graphs in h.
func pageOf(t *testing.T, h *history.Recorder, notes nodeLines) string {
	t.Helper()
	var b bytes.Buffer
	if err := writePage(&b, h, notes, noPlan); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPage compares a page with the golden file. The page shows a graph after four passes: the first
// removes a node, the second changes nothing, the third adds a node, and the fourth runs on a partition.
func TestPage(t *testing.T) {
	const golden = "testdata/dump.html"
	notes := nodeLines{}
	h := &history.Recorder{Each: notes.note}
	g, err := ir.Parse(`graph "g" producer=1000
fetch "<y>:0" = "<y>":0 key="y"
node x = Placeholder() {dtype=f32, shape=shape[2]} -> f32[*]
node big = Const() {dtype=f32, value=f32[20]{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}} -> f32[*]
node i = Identity(x:0) {T=f32} -> f32[*]
node "<y>" = Neg(i:0) {T=f32} -> f32[*]
`)
	if err != nil {
		t.Fatal(err)
	}
	h.Dump("", "a&b", g)
	e := g.Edit("identity", nil)
	e.Replace(ir.Out{Node: g.Node("i")}, ir.Out{Node: g.Node("x")}, "hands on its <input>")
	e.Remove(g.Node("i"), "hands on its <input>")
	e.Apply()
	h.Dump("identity", "a&b", g)
	g.Node("x").Outs[0].Shape = ir.StaticShape(2)
	h.Dump("known", "a&b", g)
	n := g.NewNode("made", "Square", map[string]ir.Attr{"T": g.Node("x").DType("dtype")}, 1, ir.Out{Node: g.Node("x")})
	e = g.Edit("strength", nil)
	e.ReplaceNode(g.Node("<y>"), n, "for the sake of the test")
	e.Apply()
	h.Dump("strength.2", "a&b", g)
	h.Dump("dce@/job:localhost/device:CPU:1", "a&b", g)
	got := pageOf(t, h, notes)
	if got != pageOf(t, h, notes) {
		t.Error("the page is another one the second time")
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || got != string(want) {
		t.Errorf("%s differs (%v): go test ./internal/tool/dump -run TestPage -update\n%s", golden, err, got)
	}
	for _, outside := range []string{"http:", "https:", "src=", "href=", "url(", "@import"} {
		if strings.Contains(got, outside) {
			t.Errorf("the page refers to something outside of it: %s", outside)
		}
	}
}

// TestPageSize checks the size of the page of a large graph of which each pass changes only a few
// nodes.
func TestPageSize(t *testing.T) {
	const nodes, passes = 4000, 20
	notes := nodeLines{}
	h := &history.Recorder{Each: notes.note}
	g := ir.NewGraph("g")
	var all []*ir.Node
	for i := range nodes {
		all = append(all, g.NewNode(fmt.Sprintf("layer/of/a/deep/model/node_%d", i), "NoOp", map[string]ir.Attr{"text": strings.Repeat("x", 400)}, 0))
	}
	h.Dump("", "", g)
	for p := range passes {
		for k := range 50 {
			n := all[(p*997+k*131)%nodes]
			n.Attrs = map[string]ir.Attr{"n": int64(p)}
		}
		h.Dump(fmt.Sprintf("pass%d", p), "", g)
	}
	got := pageOf(t, h, notes)
	if len(got) > 4<<20 {
		t.Errorf("the page has %d bytes", len(got))
	}
	if n := strings.Count(got, "<p class=chg"); n < passes*40 {
		t.Errorf("%d changes are marked", n)
	}
	for _, l := range strings.Split(got, "\n") {
		if len(l) > 1000 {
			t.Fatalf("a line has %d bytes: %.80s", len(l), l)
		}
	}
}
