package view

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/internal/tool/history"
	"github.com/graphc/graphc/ir"
)

// modelFlags parses flags of a model.
func modelFlags(t *testing.T, args ...string) flags.Model {
	t.Helper()
	var f flags.Model
	fl := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.Register(fl)
	if err := fl.Parse(args); err != nil {
		t.Fatal(err)
	}
	return f
}

// compiled returns the page of a model.
func compiled(t *testing.T, model string, args ...string) *page {
	t.Helper()
	p, err := pageOf(context.Background(), &base.App{Out: io.Discard, Err: io.Discard}, []string{model}, modelFlags(t, args...))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// htmlOf returns the bytes of a page.
func htmlOf(t *testing.T, p *page) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// file writes a file into a temporary folder of the test and returns the file's path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// attr and node print parts of a GraphDef's text.
func attr(name, value string) string {
	return fmt.Sprintf(" attr { key: %q value { %s } }", name, value)
}

func node(name, op, rest string) string {
	return fmt.Sprintf("node { name: %q op: %q%s }\n", name, op, rest)
}

const floats = " attr { key: \"T\" value { type: DT_FLOAT } }"

func placeholder(name string) string {
	return node(name, "Placeholder", attr("dtype", "type: DT_FLOAT")+attr("shape", "shape { dim { size: -1 } dim { size: 4 } }"))
}

func scalar(name string, v float64) string {
	return node(name, "Const", attr("dtype", "type: DT_FLOAT")+attr("value", fmt.Sprintf("tensor { dtype: DT_FLOAT tensor_shape { } float_val: %g }", v)))
}

func unary(name, op, in string) string {
	return node(name, op, fmt.Sprintf(" input: %q", in)+floats)
}

func pair(name, op, a, b string) string {
	return node(name, op, fmt.Sprintf(" input: %q input: %q", a, b)+floats)
}

// fullName returns the name of a node of the page.
func (p *page) fullName(i int) string {
	name := p.Strings[p.Names[2*i+1]]
	for s := p.Names[2*i]; s > 0; s = p.Scopes[2*s] {
		name = p.Strings[p.Scopes[2*s+1]] + "/" + name
	}
	return name
}

func ranges(list []int) (rows []int) {
	for i := 0; i < len(list); i += 2 {
		for k := range list[i+1] {
			rows = append(rows, list[i]+k)
		}
	}
	return rows
}

// graphOf returns the nodes of stage k as text, keyed by name. Like the page's script, it computes them from
// the nodes of the base stage.
func (p *page) graphOf(sig *signature, k int) map[string]string {
	if k < 0 {
		return map[string]string{}
	}
	st := sig.Stages[k]
	nodes := p.graphOf(sig, st.Base)
	for _, n := range st.Gone {
		delete(nodes, p.fullName(n))
	}
	for _, r := range ranges(st.Nodes) {
		nodes[p.fullName(p.Nodes[r][0])] = p.text(p.Nodes[r])
	}
	return nodes
}

// text formats a row of page.Nodes in the same way as nodeText formats an ir.Node.
func (p *page) text(row []int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s(", p.Strings[row[1]])
	for i := range row[6] {
		if n := row[7+2*i]; n >= 0 {
			fmt.Fprintf(&b, "%s:%d ", p.fullName(n), row[8+2*i])
		}
	}
	for _, c := range row[7+2*row[6]:] {
		fmt.Fprintf(&b, "^%s ", p.fullName(c))
	}
	fmt.Fprintf(&b, ") %q", p.Strings[row[3]])
	if r := row[4] - 1; r >= 0 {
		fmt.Fprintf(&b, " in %s", p.Strings[p.Regions[r][0]])
	}
	return b.String()
}

func nodeText(n *ir.Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s(", n.Op)
	for _, o := range n.Ins {
		if o.Node != nil {
			fmt.Fprintf(&b, "%s:%d ", o.Node.Name, o.Index)
		}
	}
	for _, c := range n.Controls {
		fmt.Fprintf(&b, "^%s ", c.Name)
	}
	fmt.Fprintf(&b, ") %q", n.Device)
	if n.Region != nil {
		fmt.Fprintf(&b, " in %s", n.Region.Name)
	}
	return b.String()
}

// TestStages compares the page's graph after each pass with the graph that the pass left. The models have
// functions, loops, branches and several devices.
func TestStages(t *testing.T) {
	for _, test := range []struct {
		dir, name string
		args      []string
	}{
		{"features", "control-flow-v2/while_three_deep", nil},
		{"features", "control-flow-v2/while_in_cond", nil},
		{"features", "functions/nested_functions", nil},
		{"features", "devices/loop_across_devices", []string{"--devices=cpu:0,cpu:1"}},
	} {
		c := testkit.Case(t, test.dir, test.name)
		model := c.ModelPath
		t.Run(strings.Join(append([]string{test.name}, test.args...), " "), func(t *testing.T) {
			f := modelFlags(t, test.args...)
			o, err := f.Options()
			if err != nil {
				t.Fatal(err)
			}
			r := newRecorder("m")
			type moment struct {
				x     *history.History
				pass  int
				nodes map[string]string
			}
			var want []moment
			h, p, err := history.Compile([]string{model}, o, func(x *history.History, s *history.Stream) {
				r.note(x, s)
				m := moment{x, len(r.sigs[x].Passes) - 1, map[string]string{}}
				for _, n := range s.Graph.Nodes {
					m.nodes[n.Name] = nodeText(n)
				}
				want = append(want, m)
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range h.All {
				r.fates(r.finish(x), x, history.SignatureOf(p, x.Signature))
			}
			if len(want) < 20 {
				t.Errorf("%d passes are noted", len(want))
			}
			for _, m := range want {
				sig := r.sigs[m.x]
				ps := sig.Passes[m.pass]
				for _, e := range m.x.Edits()[ps.Edits[0] : ps.Edits[0]+ps.Edits[1]] {
					if _, base, _ := history.PassName(r.page.Strings[ps.Name]); e.Pass != base {
						t.Errorf("pass %s has the edit %s", base, e)
					}
				}
				if got := r.page.graphOf(sig, ps.Stage); !maps.Equal(got, m.nodes) {
					for _, n := range slices.Sorted(maps.Keys(m.nodes)) {
						if got[n] != m.nodes[n] {
							t.Errorf("after %s node %s is %q, want %q", r.page.Strings[ps.Name], n, got[n], m.nodes[n])
						}
					}
					t.Errorf("after %s the page has %d nodes, want %d", r.page.Strings[ps.Name], len(got), len(m.nodes))
				}
			}
		})
	}
}

// hostile lists texts that a model may contain and that a browser must not treat as parts of the page.
var hostile = []string{`</script><b id="bad">`, `<!--<script>`, `"><img src=x onerror="window.bad=1">`, "a\u2028b", `it's & <i>`, `back\slash`}

// hostilePage is the page of a graph in which names and attributes have hostile texts. graphc's readers
// reject such names of nodes in model files, but such texts may be in functions, attributes and error
// messages.
func hostilePage(t *testing.T) *page {
	t.Helper()
	var b strings.Builder
	b.WriteString("graph \"g\" producer=1000\nnode x = Placeholder() {dtype=f32, shape=shape[2]} -> f32[2]\n")
	last := "x"
	for i, s := range hostile {
		name := strconv.Quote(fmt.Sprintf("scope%d/%s", i, s))
		fmt.Fprintf(&b, "node %s = Relu(%s:0) {T=f32, %s=%s} -> f32[2]\n", name, last, strconv.Quote(s), strconv.Quote(s))
		last = name
	}
	g, err := ir.Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	r := newRecorder(hostile[0])
	h := &history.Recorder{Each: r.note}
	h.Dump("", hostile[1], g)
	e := g.Edit("identity", nil)
	e.Replace(ir.Out{Node: g.Nodes[2]}, ir.Out{Node: g.Nodes[1]}, hostile[0])
	e.Remove(g.Nodes[2], hostile[0])
	e.Apply()
	h.Dump("identity", hostile[1], g)
	r.page.Error = hostile[0]
	return r.whole(h, nil, nil)
}

// TestEscapes checks that hostile texts add no elements to a page, and that the decoded data of the page
// contain these texts unchanged.
func TestEscapes(t *testing.T) {
	s := string(htmlOf(t, hostilePage(t)))
	for text, n := range map[string]int{"</script": 2, "<script": 2, "<!--": 0, "<b>": 0, "<b id": 0, "<i>": 0, "<img": 0, "\u2028": 0} {
		if got := strings.Count(s, text); got != n {
			t.Errorf("the page has %q %d times, want %d", text, got, n)
		}
	}
	_, data, _ := strings.Cut(s, `id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	var p page
	if err := json.Unmarshal([]byte(data), &p); err != nil {
		t.Fatal(err)
	}
	for _, want := range hostile {
		found := false
		for i := range len(p.Names) / 2 {
			found = found || strings.HasSuffix(p.fullName(i), "/"+want)
		}
		if !found {
			t.Errorf("no node is named %q", want)
		}
	}
}

// TestSame writes the page of a model with functions twice and compares the bytes: without options, with
// a profile, and for two devices.
func TestSame(t *testing.T) {
	c := testkit.Case(t, "features", "control-flow-v2/while_three_deep")
	model := c.ModelPath
	profile := file(t, "p.json", `{"graphc_profile": 1, "nodes": [
  {"signature":"","device":"/job:localhost/replica:0/task:0/device:CPU:0","node":"n","op":"Op","runs":1,"times":1,"ns":10,"bytes":0}
]}`)
	for _, args := range [][]string{nil, {"--profile=" + profile}, {"--devices=cpu:0,cpu:1"}} {
		if a, b := htmlOf(t, compiled(t, model, args...)), htmlOf(t, compiled(t, model, args...)); !bytes.Equal(a, b) {
			t.Errorf("with %v the second page differs", args)
		}
	}
}

// TestAlone: a page refers to nothing outside of it.
func TestAlone(t *testing.T) {
	s := string(htmlOf(t, compiled(t, file(t, "m.pbtxt", placeholder("x")+unary("y", "Relu", "x")))))
	s = strings.ReplaceAll(s, svgName, "")
	for _, outside := range []string{"http:", "https:", "src=", "url(\"", "@import", "fetch(", "XMLHttpRequest"} {
		if strings.Contains(s, outside) {
			t.Errorf("the page has %s", outside)
		}
	}
}

// svgName is the only address in the page. It is the name of SVG's namespace, which browsers do not
// load.
const svgName = `"http://www.w3.org/2000/svg"`

// largeModel is a graph of 3n+1 nodes in layers of blocks, or with all names on one level.
func largeModel(t *testing.T, n int, flat bool) string {
	var b strings.Builder
	b.WriteString(placeholder("x"))
	last := "x"
	for i := range n {
		p := fmt.Sprintf("encoder/layer_%d/block_%d/", i/100, i%100)
		if flat {
			p = fmt.Sprintf("n%d_", i)
		}
		b.WriteString(scalar(p+"scale", 1+float64(i)/1e4))
		b.WriteString(pair(p+"mul", "Mul", last, p+"scale"))
		b.WriteString(unary(p+"relu", "Relu", p+"mul"))
		last = p + "relu"
	}
	return file(t, "large.pbtxt", b.String())
}

// TestSize bounds the bytes that a page needs for each node. The page of a graph of 30,000 nodes
// has about 5 MB.
func TestSize(t *testing.T) {
	const n = 1000
	p := compiled(t, largeModel(t, n, false))
	size := len(htmlOf(t, p)) - len(htmlOf(t, &page{}))
	if size > 3*n*250 {
		t.Errorf("a graph of %d nodes is %d bytes", 3*n+1, size)
	}
	for _, st := range p.Signatures[0].Stages[1:] {
		if rows := len(ranges(st.Nodes)) + len(st.Gone); rows > 3*n+1 {
			t.Errorf("after %s a stage has %d rows", p.Strings[st.Pass], rows)
		}
	}
}

// TestDeep: the page has at most maxDepth scopes for a name that has many more.
func TestDeep(t *testing.T) {
	name := strings.Repeat("s/", 5000) + "y"
	p := compiled(t, file(t, "m.pbtxt", placeholder("x")+unary(name, "Relu", "x")))
	if n := len(p.Scopes) / 2; n > maxDepth+1 {
		t.Errorf("%d scopes", n)
	}
	if got := p.fullName(p.Nodes[1][0]); got != name {
		t.Errorf("the node is named %.40s… of %d bytes", got, len(got))
	}
}

// TestTimes: the time of a step that computes several nodes is divided among them, and no time in a
// profile is lost.
func TestTimes(t *testing.T) {
	model := file(t, "m.pbtxt", placeholder("x")+unary("a", "Exp", "x")+unary("b", "Sqrt", "a")+unary("c", "Abs", "b"))
	cost := func(node string, ns int) string {
		return fmt.Sprintf(`{"signature":"","device":"/job:localhost/replica:0/task:0/device:CPU:0","node":%q,"op":"-","runs":2,"times":2,"ns":%d,"bytes":0}`, node, ns)
	}
	profile := file(t, "p.json", `{"graphc_profile": 1, "nodes": [`+cost("a … c", 6000)+","+cost("gone", 500)+`]}`)
	p := compiled(t, model, "--profile="+profile)
	tm := p.Signatures[0].Time
	if tm == nil || tm.Runs != 2 || tm.Total != 3250 || tm.Other != 250 {
		t.Fatalf("times are %+v", tm)
	}
	sum := 0.0
	var names []string
	for _, n := range tm.Nodes {
		names = append(names, p.fullName(int(n[0])))
		if n[1] < 500 {
			t.Errorf("%s has %g ns", names[len(names)-1], n[1])
		}
		sum += n[1]
	}
	if slices.Sort(names); !slices.Equal(names, []string{"a", "b", "c"}) || sum < 2990 || sum > 3000 {
		t.Errorf("%v have %g ns", names, sum)
	}
}

// TestFailed checks that Page writes a page with the error if a model does not compile.
func TestFailed(t *testing.T) {
	model := file(t, "m.pbtxt", placeholder("x")+
		node("c", "Const", attr("dtype", "type: DT_FLOAT")+attr("value", "tensor { dtype: DT_FLOAT tensor_shape { dim { size: 3 } } float_val: 1 }"))+
		pair("y", "Add", "x", "c"))
	out := filepath.Join(t.TempDir(), "page.html")
	a := &base.App{Out: io.Discard, Err: io.Discard}
	err := Page(context.Background(), a, []string{model}, modelFlags(t), out)
	if err == nil || !strings.Contains(err.Error(), "page.html shows the graph") {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(out); err != nil || !bytes.Contains(b, []byte(`"error":"`)) {
		t.Errorf("the page has no error (%v)", err)
	}
	if err := Page(context.Background(), a, []string{model}, modelFlags(t, "--signature=none"), filepath.Join(t.TempDir(), "x.html")); err == nil || strings.Contains(err.Error(), "shows the graph") {
		t.Errorf("an unknown signature has a page: %v", err)
	}
}

// TestFileName tests the names of pages, and which existing files a page may overwrite.
func TestFileName(t *testing.T) {
	dir := t.TempDir()
	saved := filepath.Join(dir, "saved.model")
	if err := os.Mkdir(saved, 0o777); err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]string{filepath.Join(dir, "graph.pb"): "graph.html", saved: "saved.model.html", saved + "/.": "saved.model.html", "x/model.json": "model.html"} {
		if got := fileName(model); got != want {
			t.Errorf("the page of %s is %s, want %s", model, got, want)
		}
	}
	for text, may := range map[string]bool{"": true, "<html>": false, string(htmlOf(t, &page{})): true} {
		if err := mayWrite(file(t, "f.html", text)); (err == nil) != may {
			t.Errorf("a file of %d bytes: %v", len(text), err)
		}
	}
	if mayWrite(dir) == nil || mayWrite(filepath.Join(dir, "none")) != nil || mayWrite("-") != nil {
		t.Error("folders, missing files and standard output")
	}
}
