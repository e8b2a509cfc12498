package view

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/testkit"
)

// browsers are the possible names of Chromium's executable.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

// browse opens a page in a headless browser, and runs the script in the parameter steps in this page.
// The script calls say(name, value) to report values, and browse returns these values by name. An
// error in this script or in the page's own scripts fails the test.
func browse(t *testing.T, page []byte, steps string, flags ...string) map[string]string {
	t.Helper()
	browser := ""
	for _, b := range browsers {
		if path, err := exec.LookPath(b); err == nil && browser == "" {
			browser = path
		}
	}
	if browser == "" {
		t.Skip("no browser here: install chromium")
	}
	// The script in the variable early runs before the page's own scripts, and records all errors.
	// The script in the variable late runs after them.
	early := `<script>window.said = {}; window.failed = [];
window.say = (k, v) => { said[k] = String(v); };
window.onerror = (m, u, line) => { failed.push(m + " at line " + line); };</script>`
	late := `<script>(() => {
const one = (s) => document.querySelector(s), all = (s) => [...document.querySelectorAll(s)];
const item = (text) => all(".item").find((g) => g.querySelector("text").textContent === text);
const click = (e) => (e.querySelector && e.querySelector("rect") || e).dispatchEvent(new MouseEvent("click", { bubbles: true }));
const key = (k, at) => (at || document.body).dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true }));
const find = (text) => { one("#find").value = text; one("#find").dispatchEvent(new Event("input")); };
const stage = (i) => { one("#stage").value = i < 0 ? one("#stage").options.length + i : i; one("#stage").dispatchEvent(new Event("change")); };
const texts = (s) => all(s).map((e) => e.textContent);
try { ` + steps + ` } catch (e) { failed.push(e.stack); }
document.documentElement.dataset.report = JSON.stringify([said, failed]);
})();</script>`
	s := strings.Replace(string(page), "<body>", "<body>"+early, 1)
	i := strings.LastIndex(s, "</body>")
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, []byte(s[:i]+late+s[i:]), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	args := append([]string{"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--user-data-dir=" + filepath.Join(dir, "user"), "--window-size=1440,900"}, flags...)
	cmd := exec.CommandContext(ctx, browser, append(args, "--dump-dom", "file://"+file)...)
	cmd.WaitDelay = time.Second
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatalf("%s: %v\n%s", browser, err, talk.String())
	}
	m := regexp.MustCompile(`data-report="([^"]*)"`).FindSubmatch(out.Bytes())
	if m == nil {
		t.Fatalf("the page did not report\n%s", talk.String())
	}
	var report struct {
		said   map[string]string
		failed []string
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(string(m[1]))), &[]any{&report.said, &report.failed}); err != nil {
		t.Fatal(err)
	}
	for _, f := range report.failed {
		t.Errorf("an error of a script: %s", f)
	}
	return report.said
}

// wants checks that the values in got, which a page has reported, are equal to those in want.
func wants(t *testing.T, got map[string]string, want map[string]string) {
	t.Helper()
	for k, w := range want {
		if got[k] != w {
			t.Errorf("%s is %q, want %q", k, got[k], w)
		}
	}
}

// layers returns the path of a graph with several scopes and a control edge. A pass fuses some of
// the graph's nodes.
func layers(t *testing.T) string {
	w := node("net/dense/w", "Const", attr("dtype", "type: DT_FLOAT")+attr("value", "tensor { dtype: DT_FLOAT tensor_shape { dim { size: 4 } dim { size: 4 } } float_val: 2 }"))
	b := node("net/dense/b", "Const", attr("dtype", "type: DT_FLOAT")+attr("value", "tensor { dtype: DT_FLOAT tensor_shape { dim { size: 4 } } float_val: 1 }"))
	return file(t, "layers.pbtxt", placeholder("x")+w+b+
		pair("net/dense/MatMul", "MatMul", "x", "net/dense/w")+pair("net/dense/BiasAdd", "BiasAdd", "net/dense/MatMul", "net/dense/b")+
		unary("net/act/Relu", "Relu", "net/dense/BiasAdd")+unary("net/act/copy", "Identity", "net/act/Relu")+
		node("net/out/Exp", "Exp", ` input: "net/act/copy" input: "^net/side/Neg"`+floats)+unary("net/side/Neg", "Neg", "x")+unary("net/out/Abs", "Abs", "net/out/Exp")+"versions { producer: 1000 }\n")
}

// TestUnfold opens scopes, selects nodes, searches for names, and shows the graph at several stages
// of compilation.
func TestUnfold(t *testing.T) {
	page := htmlOf(t, compiled(t, layers(t)))
	wants(t, browse(t, page, `
say("folded", texts(".item > text:first-of-type").join());
click(item("dense"));
say("dense", !!item("MatMul") && !!item("BiasAdd"));
say("types", texts("text.type").includes("f32[d_x_0,4]"));
click(item("MatMul"));
say("title", one("#tab-node h2").textContent);
say("fate", one("#tab-node").textContent.includes("fused by fusebias"));
say("inputs", one("#tab-node").textContent.includes("net/dense/w  f32[4,4]"));
say("lit", all(".edge.in").length + " " + all(".edge.outof").length);
find("exp");
say("found", texts("#found li").join());
find("op:ma*");
say("ops", texts("#found li").join());
find("exp");
key("Enter", one("#find"));
say("jumped", one(".item.sel text").textContent + " " + one("#tab-node h2").textContent);
say("dashed", all(".edge.ctl").length > 0);
key("f");
say("all folded", all(".item.open").length);
stage(-1);
say("marked", one("#tab-passes .pass.on b").textContent);
find("op:_FusedMatMul");
key("Enter", one("#find"));
say("sources", one("#tab-node").textContent.includes("made fromnet/dense/BiasAdd") || one("#tab-node").textContent.includes("made fromnet/dense/MatMul"));
key("[");
say("earlier", one("#stage").value === String(one("#stage").options.length - 2));
key("Escape");
say("nothing selected", all(".item.sel").length);
`), map[string]string{"folded": "x,net,dense,act,out,side/Neg", "dense": "true", "types": "true", "title": "MatMul", "fate": "true", "inputs": "true", "lit": "1 1",
		"found": "net/out/ExpExp", "ops": "net/dense/MatMulMatMul", "jumped": "Exp Exp", "dashed": "true", "all folded": "0", "sources": "true", "earlier": "true", "nothing selected": "0"})
}

// TestKeys moves through the graph with the keyboard only.
func TestKeys(t *testing.T) {
	page := htmlOf(t, compiled(t, layers(t)))
	wants(t, browse(t, page, `
const selected = () => one(".item.sel text").textContent;
key("/");
say("search has the focus", document.activeElement === one("#find"));
key("Escape", one("#find"));
key("ArrowDown", one("#svg"));
say("first", selected());
key("ArrowDown", one("#svg"));
say("reader", selected());
key("ArrowDown", one("#svg"));
say("inside", selected());
key("Enter", one("#svg"));
say("unfolded", item("dense").classList.contains("open"));
key("ArrowDown", one("#svg"));
key("Backspace", one("#svg"));
say("around", selected());
key("ArrowUp", one("#svg"));
key("?");
say("help", one("#keys").open);
`), map[string]string{"search has the focus": "true", "first": "x", "reader": "net", "inside": "dense", "unfolded": "true", "around": "net", "help": "true"})
}

// TestBare selects nodes that have no attributes, inputs or outputs.
func TestBare(t *testing.T) {
	page := htmlOf(t, compiled(t, file(t, "m.pbtxt", node("n", "NoOp", "")+node("m", "NoOp", ` input: "^n"`)+placeholder("x")+unary("y", "Abs", "x")), "--feed=x", "--fetch=y", "--target=m"))
	wants(t, browse(t, page, `
click(item("n"));
say("n", texts("#tab-node h3").join());
click(item("m"));
say("m", texts("#tab-node a.go").includes("n"));
`), map[string]string{"n": "What the passes did,Inputs,Outputs,Device", "m": "true"})
}

// TestHostile shows names that contain HTML tags. The page must escape these names.
func TestHostile(t *testing.T) {
	got := browse(t, htmlOf(t, hostilePage(t)), `
say("bad", !!one("#bad") || !!one("img") || !!window.bad);
for (let i = 0; i < 8; i++) { const s = one(".item.scope:not(.open)"); if (s) click(s); }
for (const g of all(".item")) click(g);
for (const b of all(".pass > button")) b.click();
find("script");
say("found", all("#found li").length);
say("title", document.title);
say("still", !!one("#bad") || !!one("img") || !!window.bad);
`)
	wants(t, got, map[string]string{"bad": "false", "still": "false", "title": hostile[0]})
	if n, _ := strconv.Atoi(got["found"]); n < 1 {
		t.Errorf("the search finds %d nodes", n)
	}
}

// TestFunctions opens function calls in the graph that was read from the file. It also opens the
// loops by which the passes have replaced these calls.
func TestFunctions(t *testing.T) {
	c := testkit.Case(t, "features", "control-flow-v2/while_three_deep")
	wants(t, browse(t, htmlOf(t, compiled(t, c.ModelPath)), `
find("while");
key("Enter", one("#find"));
let call = all(".item.call:not(.open)");
say("calls", call.length > 0);
find("_Arg");
key("Enter", one("#find"));
say("in a function", !!one(".item.sel") && all(".item.function.open, .item.call.open").length > 0);
stage(-1);
for (let i = 0; i < 12; i++) { const s = one(".item.scope:not(.open)"); if (s) click(s); }
say("loops", texts(".item.region > text:first-of-type").filter((s) => s.includes("loop")).length >= 3);
say("back", all(".edge.back").length > 0);
`), map[string]string{"calls": "true", "in a function": "true", "loops": "true", "back": "true"})
}

// TestProfile shows a profile on the page, and checks the times of nodes and scopes.
func TestProfile(t *testing.T) {
	profile := file(t, "p.json", `{"graphc_profile": 1, "nodes": [
  {"signature":"","device":"/job:localhost/replica:0/task:0/device:CPU:0","node":"net/act/Relu","op":"_FusedMatMul","runs":4,"times":4,"ns":3000000,"bytes":0},
  {"signature":"","device":"/job:localhost/replica:0/task:0/device:CPU:0","node":"net/out/Abs","op":"Abs","runs":4,"times":4,"ns":1000000,"bytes":0}
]}`)
	wants(t, browse(t, htmlOf(t, compiled(t, layers(t), "--profile="+profile)), `
say("tab", one("nav [aria-selected=true]").textContent);
say("total", one("#tab-time p").textContent);
say("shares", texts(".item > text.share").join());
click(item("dense"));
say("heavy", item("MatMul").querySelector(".share").textContent);
say("list", texts("#tab-time a.go").slice(-2).join());
`), map[string]string{"tab": "Time", "total": "A run takes 1.00 ms in the steps of the profile, which has 4 runs.", "shares": "75%,25%", "heavy": "75%", "list": "net/dense/MatMul,net/out/Abs"})
}

// TestLarge opens two large graphs and logs the time that the page needs. The first graph has
// nested scopes, the second has none. If long tests are enabled, each graph has about 30,000 nodes.
func TestLarge(t *testing.T) {
	n := testkit.Times(1000, 10000)
	for _, flat := range []bool{false, true} {
		page := htmlOf(t, compiled(t, largeModel(t, n, flat), "--noopt"))
		got := browse(t, page, `
say("drawn", document.documentElement.dataset.drawn);
say("items", all(".item").length);
const began = performance.now();
find("n`+strconv.Itoa(n-1)+`_relu");
if (!all("#found li[data-i]").length) find("layer_`+strconv.Itoa((n-1)/100)+`/block_99/relu");
const searched = performance.now();
key("Enter", one("#find"));
say("jumped", one(".item.sel text").textContent.endsWith("relu"));
say("times", "search " + (searched - began).toFixed() + " ms, jump " + (performance.now() - searched).toFixed() + " ms");
say("most", all(".item").length);
stage(-1);
say("last", all(".item").length);
`)
		t.Logf("%d nodes, flat %v: %d bytes, drawn after %s ms, %s items, %s", 3*n+1, flat, len(page), got["drawn"], got["items"], got["times"])
		wants(t, got, map[string]string{"jumped": "true"})
		for _, k := range []string{"items", "most", "last"} {
			if items, _ := strconv.Atoi(got[k]); items < 2 || items > 400 {
				t.Errorf("%s: %d items are drawn", k, items)
			}
		}
	}
}
