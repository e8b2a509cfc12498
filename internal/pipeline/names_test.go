package pipeline

import (
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/graphc/graphc/codegen"
	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// nasty lists names that are likely to cause errors. They have a meaning for Go, for its tools, for
// file systems or for human readers, or they resemble another name.
var nasty = []string{
	"type", "func", "go", "package", "import", "_", "init", "main", "string", "len", "nil", "true", "append", "min", "error", "any", "iota",
	"New", "Model", "Tensor", "Run", "Bind", "Signatures", "Close", "Reset", "Save", "Restore", "Variables", "Partial", "Input", "Output", "Into",
	"m", "s", "d", "in", "out", "err", "ctx", "opts", "base", "vars", "rt", "save", "parts", "devwork", "mem", "tensor", "kernels", "context", "time", "math", "embed", "weightsData", "modelVars",
	"linux", "x_test", "x_windows_amd64", "CON", "nul", "com1", "..", ".", "../../etc/passwd", "/etc/passwd", `a\b`, "a:b", "a b", "x.go", "x.gen.go",
	"", "-", "1", "0x10", "a-b", "a_b", "aB", "A_B", "a.b", "a/b", "é", "中文", "ǆ", "ß", "İ", "ı",
	"*/", "/*", "//", "*/ func init() { panic(1) } /*", "x\n//go:embed /etc/passwd\n", "\n//go:linkname a b\n", "\n//line /etc/passwd:1\n", "/*line x.go:1*/",
	"\n//export f\n", "\n// +build ignore\n", "\n//go:build ignore\n", "\n//go:generate rm x\n", "#cgo LDFLAGS: -x", "x\rpackage y", "x\r\ny", "a\u2028b", "a\u2029b", "a\u0085b", "a\vb\fc",
	"\u202ereversed", "a\u2066b\u2069", "zero\u200bwidth", "\ufeffbom", "soft\u00adhyphen", "a\u0301", "nul\x00byte", "\x1b[31mred", "\x7f",
	"\xff\xfe", "a\xc3", "\xed\xa0\x80", "`back` + `quote`", `"quote"`, `'a'`, `\n`, "${x}", "%s%d%!", "{{.}}", "`json:\"x\"`", "$(rm x)", "a;b", "a,b", "a=b", "a#b",
	strings.Repeat("a", 5000), strings.Repeat("语", 3000), strings.Repeat("_", 300) + "x",
}

// named has one name for each purpose for which a graph or its compile options need a name.
type named struct {
	node, feed, fetch, signature, function, symbol, variable, container, table, device, text, queue, model, origin string
}

// plainNames are names that need no special treatment.
var plainNames = named{node: "node", feed: "feed", fetch: "fetch", signature: "sig", function: "fn", symbol: "n", variable: "weight", container: "box", table: "words",
	text: "hello", queue: "line", model: "model.pb", origin: "before"}

// placesOf maps the name of each field of named to a function that sets this field.
var placesOf = map[string]func(*named, string){
	"node":      func(n *named, s string) { n.node = s },
	"feed":      func(n *named, s string) { n.feed = s },
	"fetch":     func(n *named, s string) { n.fetch = s },
	"signature": func(n *named, s string) { n.signature = s },
	"function":  func(n *named, s string) { n.function = s },
	"symbol":    func(n *named, s string) { n.symbol = s },
	"variable":  func(n *named, s string) { n.variable = s },
	"container": func(n *named, s string) { n.container = s },
	"table":     func(n *named, s string) { n.table = s },
	"device":    func(n *named, s string) { n.device = s },
	"text":      func(n *named, s string) { n.text = s },
	"queue":     func(n *named, s string) { n.queue = s },
	"model":     func(n *named, s string) { n.model = s },
	"origin":    func(n *named, s string) { n.origin = s },
}

// octal returns s as a string literal of the protobuf text format, with every byte as an octal
// escape.
func octal(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "\\%03o", c)
	}
	return b.String() + `"`
}

// graph returns a GraphDef in text form that contains the names in n. It has a call of a function,
// a variable, a queue, a table and string constants.
func (n named) graph() string {
	attr := func(key, value string) string { return fmt.Sprintf(" attr { key: %q value { %s } }", key, value) }
	float, text := `type: DT_FLOAT`, `type: DT_STRING`
	node := func(name, op, ins string, attrs ...string) string {
		s := fmt.Sprintf("node { name: %s op: %s device: %s experimental_debug_info { original_node_names: %s }", octal(name), octal(op), octal(n.device), octal(n.origin))
		for _, in := range strings.Fields(ins) {
			if in == "NODE" {
				in = n.node
			}
			s += " input: " + octal(in)
		}
		return s + strings.Join(attrs, "") + " }\n"
	}
	words := func(name string, ss ...string) string {
		v := ""
		for _, s := range ss {
			v += " string_val: " + octal(s)
		}
		return node(name, "Const", "", attr("dtype", text), attr("value", fmt.Sprintf("tensor { dtype: DT_STRING tensor_shape { dim { size: %d } }%s }", len(ss), v)))
	}
	shared := func(name string) string {
		return attr("shared_name", "s: "+octal(name)) + attr("container", "s: "+octal(n.container))
	}
	return node("x", "Placeholder", "", attr("dtype", float), attr("shape", "shape { dim { size: -1 } dim { size: 2 } }")) +
		node(n.node, n.function, "x") +
		node("v", "VarHandleOp", "", shared(n.variable), attr("dtype", float), attr("shape", "shape { dim { size: 2 } }")) +
		node("read", "ReadVariableOp", "v", attr("dtype", float)) +
		node("y", "AddV2", "NODE read", attr("T", float)) +
		node("one", "Const", "", attr("dtype", float), attr("value", "tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: 1 }")) +
		node("set", "AssignVariableOp", "v one", attr("dtype", float)) +
		node("t", "HashTableV2", "", shared(n.table), attr("key_dtype", text), attr("value_dtype", text)) +
		words("keys", "a", n.text) + words("values", n.text, "b") +
		node("fill", "LookupTableImportV2", "t keys values", attr("Tin", text), attr("Tout", text)) +
		node("default", "Const", "", attr("dtype", text), attr("value", "tensor { dtype: DT_STRING tensor_shape { } string_val: "+octal(n.text)+" }")) +
		node("find", "LookupTableFindV2", "t keys default", attr("Tin", text), attr("Tout", text)) +
		node("q", "FIFOQueueV2", "", shared(n.queue), attr("component_types", "list { type: DT_STRING }")) +
		node("size", "QueueSizeV2", "q") +
		"library { function { signature { name: " + octal(n.function) + ` input_arg { name: "a" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } }
node_def { name: "relu" op: "Relu" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
ret { key: "r" value: "relu:activations:0" } } }
versions { producer: 1286 }
`
}

// compile compiles the graph with the names in n and returns the files of the emitted package.
func (n named) compile(t *testing.T, main bool) (map[string][]byte, error) {
	t.Helper()
	p, err := Compile([]string{write(t, n.graph())}, Options{
		Calls: []Call{
			{Name: n.signature, Feeds: []string{n.feed + "=x:0"}, Fetches: []string{n.fetch + "=y:0", "found=find:0", "size=size:0"}},
			{Name: "second", Feeds: []string{"x:0"}, Fetches: []string{n.node + ":0"}},
		},
		Init: []string{"set", "fill"}, Shapes: map[string]string{"x:0": n.symbol + ",2"}})
	if err != nil {
		return nil, err
	}
	return codegen.Emit(&codegen.Package{Name: "names", Model: n.model, Plans: p.Plans(), Init: p.InitPlan(), Main: main})
}

// TestPlainNames checks that the graph compiles with plain names. Otherwise, the other tests would
// check no code.
func TestPlainNames(t *testing.T) {
	files, err := plainNames.compile(t, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 4 {
		t.Errorf("files %v", slices.Sorted(maps.Keys(files)))
	}
	checkSource(t, "plain", files)
}

// everywhere makes TestNames use every name for every field of named.
var everywhere = flag.Bool("everywhere", false, "try every name in every place")

// TestNames compares the code that is emitted for unusual names with the code for plain names. They
// may differ only in identifiers, strings and the text of comments. The code must be formatted,
// must type-check and must contain no directive from the graph. The compiler may also reject a
// name; the error then has a code and a printable text.
func TestNames(t *testing.T) {
	base, err := plainNames.compile(t, false)
	if err != nil {
		t.Fatal(err)
	}
	want := skeleton(t, base)
	step := testkit.Times(53, 5)
	for k, place := range slices.Sorted(maps.Keys(placesOf)) {
		compiled := 0
		for i, s := range nasty {
			if !*everywhere && (i+k)%step > 0 { // use each name for only some of the fields
				continue
			}
			n := plainNames
			placesOf[place](&n, s)
			what := fmt.Sprintf("%s %.60q", place, s)
			files, err := n.compile(t, false)
			if err != nil {
				if code := tensor.CodeOf(err); code != tensor.InvalidArgument && code != tensor.NotFound && code != tensor.Unimplemented {
					t.Errorf("%s: refused with %s: %v", what, code, err)
				}
				if !printable(err.Error()) {
					t.Errorf("%s: the error is %q", what, err)
				}
				continue
			}
			compiled++
			checkSource(t, what, files)
			if slices.Contains(typed, place) && !longName(s) {
				checkTypes(t, what, files)
			}
			if got := skeleton(t, files); place != "symbol" && s != "" && got != want {
				t.Errorf("%s: the code differs in more than names:\n%s", what, firstDifference(want, got))
			}
		}
		if compiled == 0 && place != "device" {
			t.Errorf("%s: no name compiles", place)
		}
	}
}

// TestManyNames: all names at once, as keys of feeds and as names of signatures, give distinct
// fields, methods and files. The emitted code builds and passes go vet.
func TestManyNames(t *testing.T) {
	var graph strings.Builder
	var feeds, fetches []string
	seen := map[string]bool{}
	o := Options{}
	for i, s := range nasty {
		if strings.Contains(s, "=") || seen[s] {
			continue
		}
		seen[s] = true
		x := fmt.Sprintf("x%d", i)
		graph.WriteString(feed(x, "dim { size: 2 }") + binary("AddV2", fmt.Sprintf("y%d", i), x, x))
		key := s + "="
		if s == "" {
			key = ""
		}
		feeds, fetches = append(feeds, key+x+":0"), append(fetches, fmt.Sprintf("%sy%d:0", key, i))
		o.Calls = append(o.Calls, Call{Name: s, Feeds: []string{key + x + ":0"}, Fetches: []string{fmt.Sprintf("%sy%d:0", key, i)}})
	}
	for _, s := range []string{"foo", "Foo", "foo_", "foo_nodes", "fooRun", "foo_pool", "fooDims", "foo_input", "FooOutput", "foo_into", "foo_code", "foo_state", "foo_sizes", "foo_signature",
		"fooBlock", "foo_block_run", "foo_part0", "foo_rank1", "fooBound", "arm6", "Arm6", "ARm6", "ARM6", "aRm6", "aRM6", "arM6"} {
		o.Calls = append(o.Calls, Call{Name: s, Feeds: []string{"x0:0"}, Fetches: []string{"y0:0"}})
	}
	o.Calls = append(o.Calls, Call{Name: "all", Feeds: feeds, Fetches: fetches})
	p, err := Compile([]string{write(t, graph.String())}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, main := range []bool{false, true} {
		files, err := codegen.Emit(&codegen.Package{Name: "names", Model: "m.pb", Plans: p.Plans(), Main: main})
		if err != nil {
			t.Fatal(err)
		}
		checkSource(t, "all names", files)
		checkTypes(t, "all names", files)
		if main && testkit.Long() {
			buildFiles(t, files)
		}
	}
}

// TestPackageNames: the package's name may be the name of a device or a suffix with a meaning for
// the go command.
func TestPackageNames(t *testing.T) {
	for _, name := range []string{"con", "NUL", "lpt1", "test", "linux", "x_test", "x_amd64", "rt", "tensor", "string", "init", "größe"} {
		p, err := Compile([]string{write(t, plainNames.graph())}, Options{Fetches: []string{"y:0"}, Feeds: []string{"x:0"}, Init: []string{"set"}})
		if err != nil {
			t.Fatal(err)
		}
		files, err := codegen.Emit(&codegen.Package{Name: name, Plans: p.Plans()})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkSource(t, "package "+name, files)
		checkTypes(t, "package "+name, files)
	}
	for _, name := range []string{"", "_", "a b", "type", "a-b", "1", "../x", "a\n"} {
		if _, err := codegen.Emit(&codegen.Package{Name: name, Plans: []*plan.Plan{{}}}); err == nil {
			t.Errorf("package %q is emitted", name)
		}
	}
}

// printable reports whether text is valid UTF-8 without control, format or private characters,
// except for line ends and tabs.
func printable(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// devices are the names that some systems reserve for devices, even with an extension.
var devices = strings.Fields("con prn aux nul com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9")

// checkSource checks properties that the files of every package must have.
func checkSource(t *testing.T, what string, files map[string][]byte) {
	t.Helper()
	set := token.NewFileSet()
	lower := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		base, _, _ := strings.Cut(strings.ToLower(name), ".")
		last := base[strings.LastIndexByte(base, '_')+1:]
		switch {
		case len(name) > 150 || strings.ContainsAny(name, "/\\:*?\"<>|") || !printable(name) || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_"):
			t.Errorf("%s: a file is named %q", what, name)
		case slices.Contains(devices, base):
			t.Errorf("%s: %q is the name of a device", what, name)
		case last != base && strings.HasSuffix(name, ".go") && slices.Contains(strings.Fields("test linux windows darwin js unix amd64 arm64 arm 386 wasm"), last):
			t.Errorf("%s: the go command reads %q as of a platform", what, name)
		case lower[strings.ToLower(name)]:
			t.Errorf("%s: %q and another file are one where case does not count", what, name)
		}
		lower[strings.ToLower(name)] = true
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		data := files[name]
		if !printable(string(data)) {
			t.Errorf("%s: %s holds characters that do not show", what, name)
		}
		if clean, err := format.Source(data); err != nil || string(clean) != string(data) {
			t.Errorf("%s: %s is not formatted: %v", what, name, err)
		}
		f, err := parser.ParseFile(set, name, data, parser.ParseComments)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		for _, g := range f.Comments {
			for _, c := range g.List {
				own := strings.HasPrefix(c.Text, "//go:embed ") && strings.HasSuffix(c.Text, "_weights.bin")
				if !own && !strings.HasPrefix(c.Text, "// ") && c.Text != "//" && !strings.HasPrefix(c.Text, "//\t") && !strings.HasPrefix(c.Text, "/* ") || strings.HasPrefix(c.Text, "// +build") {
					t.Errorf("%s: %s has the comment %q", what, name, c.Text)
				}
			}
		}
	}
}

// typed lists the fields of named whose names become identifiers.
var typed = strings.Fields("feed fetch signature symbol variable table queue")

func longName(s string) bool { return len(s) > 200 }

var (
	importSet  = token.NewFileSet()
	importOnce = sync.OnceValue(func() types.Importer { return importer.ForCompiler(importSet, "source", nil) })
)

// checkTypes runs the type checker on the files of a package.
func checkTypes(t *testing.T, what string, files map[string][]byte) {
	t.Helper()
	var parsed []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		f, err := parser.ParseFile(importSet, name, files[name], 0)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		parsed = append(parsed, f)
	}
	c := types.Config{Importer: importOnce(), Error: func(err error) { t.Errorf("%s: %v", what, err) }}
	_, _ = c.Check("names", importSet, parsed, nil) // the function in c.Error reports each error
}

// skeleton returns the part of the files that does not depend on names: the token kinds of each
// declaration, sorted by declaration, and the number of compiler directives.
func skeleton(t *testing.T, files map[string][]byte) string {
	t.Helper()
	var decls []string
	comments := 0
	for name, data := range files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, data, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range f.Comments {
			for _, c := range g.List {
				if text := strings.TrimPrefix(c.Text, "//"); strings.TrimLeft(text, " \t") == text && text != "" { // only directives: the lines of other comments depend on names
					comments++
				}
			}
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				continue
			}
			text := data[set.Position(d.Pos()).Offset:set.Position(d.End()).Offset]
			var s scanner.Scanner
			part := token.NewFileSet()
			s.Init(part.AddFile("", part.Base(), len(text)), text, nil, 0)
			var kinds []string
			for {
				_, tok, _ := s.Scan()
				if tok == token.EOF {
					break
				}
				if n := len(kinds) - 1; n >= 0 && kinds[n] == "," && (tok == token.RPAREN || tok == token.RBRACE || tok == token.RBRACK) {
					kinds = kinds[:n] // drop the comma at the end of a list that is broken into lines
				}
				if n := len(kinds) - 2; n >= 0 && tok == token.STRING && kinds[n] == tok.String() && kinds[n+1] == "+" {
					kinds = kinds[:n] // join a string that is broken into lines
				}
				kinds = append(kinds, tok.String())
			}
			decls = append(decls, strings.Join(kinds, " "))
		}
	}
	slices.Sort(decls)
	return fmt.Sprintf("%d directives\n%s", comments, strings.Join(decls, "\n"))
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("%.400s\n%.400s", x[i], y[i])
		}
	}
	return fmt.Sprintf("%d and %d declarations", len(x), len(y))
}

// buildFiles builds and vets a program within this module.
func buildFiles(t *testing.T, files map[string][]byte) {
	t.Helper()
	dir, err := os.MkdirTemp(".", "names-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"build", "-o", os.DevNull, "."}, {"vet", "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", args[0], err, out)
		}
	}
}
