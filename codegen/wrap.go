package codegen

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// Lines of emitted code have at most maxColumns columns, where a tab counts as tabColumns. A line
// is longer only if it contains a name from the model that is too long.
const (
	maxColumns = 120
	tabColumns = 4
)

// wrap breaks the long lines of a formatted file: calls after each argument, other lists after as
// many elements as fit, sums between terms, comments between words, and strings into several
// strings.
func wrap(src []byte) ([]byte, error) {
	for range 40 { // a part of a broken line may still be too long
		edits := breaks(src)
		if len(edits) == 0 {
			return src, nil
		}
		out, err := format.Source(apply(src, edits))
		if err != nil || bytes.Equal(out, src) {
			return src, err
		}
		src = out
	}
	return src, nil
}

// edit replaces a part of a file.
type edit struct {
	from, to int
	text     string
}

// apply makes edits that do not overlap.
func apply(src []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(src[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(src[at:])
	return out.Bytes()
}

// columns returns the width of a line.
func columns(line string) int {
	return len([]rune(line)) + (tabColumns-1)*strings.Count(line, "\t")
}

// indent returns the tabs at the beginning of a line.
func indent(line string) string { return line[:len(line)-len(strings.TrimLeft(line, "\t"))] }

// wrapper finds where the long lines of a file can be broken.
type wrapper struct {
	src   []byte
	lines []string // the lines of src
	file  *token.File
	long  map[int]bool // the numbers of long lines
	at    []edit       // places at which expressions of sizes can be broken
	edits []edit
}

// breaks returns the edits that break long lines. The result is empty if no line can be broken.
func breaks(src []byte) []edit {
	w := &wrapper{src: src, lines: strings.Split(string(src), "\n"), long: map[int]bool{}}
	for i, l := range w.lines {
		if columns(l) > maxColumns {
			w.long[i+1] = true
		}
	}
	if len(w.long) == 0 {
		return nil
	}
	fs := token.NewFileSet()
	f, err := parser.ParseFile(fs, "", src, parser.ParseComments)
	if err != nil {
		return nil // an invalid file stays unchanged, and the compiler reports the error
	}
	w.file = fs.File(f.Pos())
	for _, g := range f.Comments {
		for _, c := range g.List {
			w.comment(c)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if ofSizes(n) {
				w.points(n)
				return true
			}
			w.list(n.Lparen, n.Rparen, nodes(n.Args), n.Ellipsis == token.NoPos, false)
		case *ast.CompositeLit:
			w.list(n.Lbrace, n.Rbrace, nodes(n.Elts), true, true)
		case *ast.IndexListExpr:
			w.list(n.Lbrack, n.Rbrack, nodes(n.Indices), true, true)
		case *ast.FuncType:
			w.list(n.Params.Opening, n.Params.Closing, nodes(n.Params.List), true, true)
		case *ast.AssignStmt:
			w.results(n)
		case *ast.BinaryExpr:
			w.sum(n)
		case *ast.ImportSpec:
			return false // the path of an import is a string that must not be broken
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				w.text(n)
			}
		}
		return true
	})
	w.sizes()
	return w.edits
}

func nodes[N ast.Node](ns []N) []ast.Node {
	out := make([]ast.Node, len(ns))
	for i, n := range ns {
		out[i] = n
	}
	return out
}

// line returns the number and the text of the line that contains a position.
func (w *wrapper) line(p token.Pos) (int, string) {
	n := w.file.Line(p)
	return n, w.lines[n-1]
}

// list breaks the elements between two brackets of one long line. If fill is set, it puts several
// elements on a line.
func (w *wrapper) list(open, closing token.Pos, elements []ast.Node, comma, fill bool) {
	if len(elements) == 0 || !open.IsValid() || !closing.IsValid() {
		return
	}
	n, text := w.line(open)
	if last, _ := w.line(closing); !w.long[n] || last != n {
		return
	}
	w.long[n] = false
	pad := indent(text) + "\t"
	var b strings.Builder
	column := maxColumns // the width of the current line
	for i, e := range elements {
		end := w.file.Offset(closing)
		if i+1 < len(elements) {
			end = w.file.Offset(elements[i+1].Pos())
		}
		part := strings.TrimRight(string(w.src[w.file.Offset(e.Pos()):end]), ", ")
		if i+1 < len(elements) || comma {
			part += ","
		}
		if column+1+columns(part) > maxColumns || !fill {
			b.WriteString("\n" + pad + part)
			column = columns(pad + part)
			continue
		}
		b.WriteString(" " + part)
		column += 1 + columns(part)
	}
	w.edits = append(w.edits, edit{w.file.Offset(open) + 1, w.file.Offset(closing), b.String() + "\n" + indent(text)})
}

// commentWords returns the words of a comment. The parameter room is the largest number of columns
// of a word. A longer word is split after punctuation, if possible.
func commentWords(text string, room int) (words []string) {
	for word := range strings.SplitSeq(strings.TrimPrefix(text, "// "), " ") {
		for columns(word) > room {
			at := strings.LastIndexAny(beginning(word, room), "*,/+") + 1
			if at == 0 {
				break
			}
			words, word = append(words, word[:at]), word[at:]
		}
		words = append(words, word)
	}
	return words
}

// comment breaks a long comment between words. A trailing comment moves to the line before its
// code.
func (w *wrapper) comment(c *ast.Comment) {
	n, text := w.line(c.Pos())
	if !w.long[n] || !strings.HasPrefix(c.Text, "// ") {
		return
	}
	pad, at := indent(text), w.file.Offset(c.Pos())
	before := strings.TrimSpace(text[:len(text)-len(c.Text)])
	var b strings.Builder
	line := pad + "//"
	for _, word := range commentWords(c.Text, maxColumns-columns(pad+"// ")) {
		if columns(line+" "+word) > maxColumns && line != pad+"//" {
			b.WriteString(line + "\n")
			line = pad + "//"
		}
		line += " " + word
	}
	b.WriteString(line)
	start := at - (len(text) - len(c.Text))
	if before == "" && b.String() == text {
		return // one word
	}
	w.long[n] = false
	if before != "" {
		b.WriteString("\n" + pad + before)
	}
	w.edits = append(w.edits, edit{start, start + len(text), b.String()})
}
