package codegen

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// sum breaks a sum or a product of one long line between its terms. It puts as many terms on each
// line as fit.
func (w *wrapper) sum(x *ast.BinaryExpr) {
	n, text := w.line(x.Pos())
	level := x.Op.Precedence()
	if last, _ := w.line(x.End()); level < token.ADD.Precedence() || !w.long[n] || last != n {
		return
	}
	var ends []int // after the operators
	for e := ast.Expr(x); ; {
		b, ok := e.(*ast.BinaryExpr)
		if !ok || b.Op.Precedence() != level {
			break
		}
		ends = append(ends, w.file.Offset(b.OpPos)+len(b.Op.String()))
		e = b.X
	}
	slices.Reverse(ends)
	ends = append(ends, w.file.Offset(x.End()))
	pad := indent(text) + "\t"
	at := w.file.Offset(x.Pos())
	column := columns(text[:at-w.file.Offset(w.file.LineStart(n))])
	for i, end := range ends {
		width := columns(string(w.src[at:end]))
		if i > 0 && column+width > maxColumns {
			w.edits = append(w.edits, edit{at, at, "\n" + pad})
			w.long[n] = false
			column = columns(pad)
		}
		column += width
		at = end
	}
}

// text breaks a string of one long line into several, after slashes and spaces if it has any.
func (w *wrapper) text(x *ast.BasicLit) {
	const least = 40 // a string is not broken if fewer columns are left for it
	n, text := w.line(x.Pos())
	if !w.long[n] || !strings.HasPrefix(x.Value, `"`) {
		return
	}
	pad := indent(text) + "\t"
	start := w.file.Offset(x.Pos())
	room := maxColumns - columns(text[:start-w.file.Offset(w.file.LineStart(n))]) - len(`"" +`)
	rest, pieces := x.Value[1:len(x.Value)-1], []string(nil)
	if room < least {
		return
	}
	for columns(rest) > room {
		cut, column, good := 0, 0, 0
		for i := 0; i < len(rest); {
			size := characterSize(rest[i:])
			if column += columns(rest[i : i+size]); column > room {
				break
			}
			i += size
			if cut = i; size == 1 && (rest[i-1] == '/' || rest[i-1] == ' ') && column > room/2 {
				good = i
			}
		}
		if good > 0 {
			cut = good
		}
		if cut == 0 {
			return
		}
		pieces, rest = append(pieces, rest[:cut]), rest[cut:]
		if room = maxColumns - columns(pad) - len(`"" +`); room < least {
			return
		}
	}
	if len(pieces) == 0 {
		return
	}
	w.long[n] = false
	w.edits = append(w.edits, edit{start, start + len(x.Value), `"` + strings.Join(append(pieces, rest), "\" +\n"+pad+"\"") + `"`})
}

// results breaks the left side of an assignment of several results after commas, if it takes most
// of a long line.
func (w *wrapper) results(s *ast.AssignStmt) {
	n, text := w.line(s.Pos())
	last, _ := w.line(s.TokPos)
	start := w.file.Offset(w.file.LineStart(n))
	left := columns(text[:min(len(text), w.file.Offset(s.TokPos)-start)])
	if len(s.Lhs) < 2 || !w.long[n] || last != n || left < maxColumns/2 {
		return
	}
	pad := indent(text) + "\t"
	room := maxColumns
	if left <= room { // leave columns for the rest of the statement
		room = left / 2
	}
	for i := 1; i < len(s.Lhs); i++ {
		from, to := w.file.Offset(s.Lhs[i].Pos()), w.file.Offset(s.Lhs[i].End())
		if columns(string(w.src[start:to]))+len(", ") <= room {
			continue
		}
		w.edits = append(w.edits, edit{w.file.Offset(s.Lhs[i-1].End()), from, ",\n" + pad})
		w.long[n] = false
		start, room = from, maxColumns-columns(pad)
	}
}

// ofSizes reports whether a call computes a size.
func ofSizes(x *ast.CallExpr) bool {
	switch f := x.Fun.(type) {
	case *ast.Ident:
		return f.Name == "min" || f.Name == "max"
	case *ast.SelectorExpr:
		of, ok := f.X.(*ast.Ident)
		return ok && of.Name == "rt" && (strings.HasSuffix(f.Sel.Name, "Size") || slices.Contains([]string{"Bcast", "Div", "Mod"}, f.Sel.Name))
	}
	return false
}

// points records the places where a call that computes a size can be broken: after its opening
// bracket and its commas.
func (w *wrapper) points(x *ast.CallExpr) {
	from := w.file.Offset(x.Lparen) + 1
	for i, a := range x.Args {
		text := "\n"
		if i > 0 {
			from, text = w.file.Offset(x.Args[i-1].End()), ",\n"
		}
		w.at = append(w.at, edit{from, w.file.Offset(a.Pos()), text})
	}
}

// sizes breaks the expressions of sizes on lines that are still too long. It puts as much on each
// line as fits. It does not indent nested calls further, because they can be nested too deep for
// that.
func (w *wrapper) sizes() {
	slices.SortFunc(w.at, func(a, b edit) int { return a.from - b.from })
	line, start, room := 0, 0, 0
	var pad string
	var breaks bool // whether the current line is too long
	for i, e := range w.at {
		n := w.file.Line(w.file.Pos(e.from))
		if e.to-e.from > 0 && w.file.Line(w.file.Pos(e.to)) != n { // the line is already broken
			continue
		}
		_, text := w.line(w.file.Pos(e.from))
		if n != line {
			line, breaks = n, w.long[n]
			start, pad, room = w.file.Offset(w.file.LineStart(n)), indent(text)+"\t", maxColumns-len(",")
		}
		next := w.file.Offset(w.file.LineStart(n)) + len(text)
		if i+1 < len(w.at) {
			next = min(next, w.at[i+1].from)
		}
		if breaks && e.from > start && columns(string(w.src[start:next])) > room {
			e.text += pad
			w.edits = append(w.edits, e)
			start, room = e.to, maxColumns-len(",")-columns(pad)
		}
	}
}

// characterSize returns the length of the first character of a string's source text, which may be
// escaped.
func characterSize(s string) int {
	if _, _, rest, err := strconv.UnquoteChar(s, '"'); err == nil {
		return len(s) - len(rest)
	}
	return 1
}
