package plan

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// Unresolved is the Fn of a call in a plan that was parsed from text. It is the kernel's name, in
// the form path.Name.
type Unresolved string

// Raw is a literal argument of a call in a plan that was parsed from text. It holds the literal in
// Go's syntax.
type Raw string

// Type implements Arg. The type is unknown.
func (Raw) Type() reflect.Type { return nil }

var placeNames = [...]string{Arena: "arena", Grow: "grow", Strings: "strings", Constant: "const", Fed: "fed", Kept: "kept", Handles: "handles", Worker: "worker",
	Device: "device", DeviceGrow: "devicegrow", DeviceConst: "deviceconst", DeviceVar: "devicevar"}

// String returns the place's name in dumps.
func (p Place) String() string {
	if int(p) < len(placeNames) {
		return placeNames[p]
	}
	return fmt.Sprintf("place(%d)", uint8(p))
}

var modeNames = [...]string{Read: "r", Write: "w", ReadWrite: "rw"}

// String returns the plan as text that Parse reads. A constant is represented by its type, its
// shape and a digest of its bytes. These examples show the form of each line:
//
//	plan "serving_default"
//	feed "x:0" key "x" f32[B,784] %0
//	feed "unread:0" key "u" f32 any
//	ranks 2 -1
//	dim B feed 0 axis 0
//	batch B
//	const 0 "w" f32[784,512] note "panels of 16" sha256:…
//	buf %0 "x:0" fed f32 len B*784 shape [B,784]
//	buf %8 "v" devicevar f32 len 4 shape [4] var %7
//	buf %9 "add" devicevar f32 len 4 shape [4] access update "add" AssignAddVariableOp alias %8 off 0
//	buf %3 "r:0" arena f32 len B*512 alias %2 off 0 at 128
//	check "add" Add path.Equal(B, C, "dimension")
//	call "MatMul" MatMul path.F32(w %2[0:B*512], r %0[0:B*784], {M: B, …}) ret n1 inplace %3=%2
//	copy "Reshape" Reshape w %4[0:B], r %3[0:B]
//	scalar "add" AddV2 "dims 1 args 0\n…" w %4[0:1], r %3[0:1]
//	scalar "less" Less "dims 1 args 1\n…" [B] w %5[0:1], r %3[0:1]
//	put "x" MatMul w %8[0:4], r %12[0:16]
//	get "y" MatMul w %12[0:16], r %8[0:4]
//	send "a" _Send slot 0 staged r %1[0:3] reused
//	recv "b" _Recv slot 1 host w %2[0:3]
//	recv "c" _RecvControl slot 2 control
//	par B*512 grain 1 most 4096 wrap - work 80 join 4096
//	call …
//	end
//	object %7 path.NewVar(#"v", r %1[0:4])
//	if "cond" Switch r %8[0:1]
//	call "x" Op path.F(context)
//	else
//	call …
//	end
//	unless "cond" Switch r %8[0:1]
//	end
//	loop "while" Enter
//	let "while" Merge n1 = n2 + 1, n2 = n1
//	room "while" Merge %5
//	break "while" LoopCond unless r %8[0:1]
//	end
//	tasks "a … d" Op work 900
//	task work 400
//	call …
//	task work 500 after 0
//	call …
//	end
//	fetch "y:0" key "y" f32[B,10] %5
//	fetch "v:0" key "v" f32[n1,n2] %6 rank [n3]
//
// A plan that consists of parts has its own feeds and sizes, followed by its parts and pairs:
//
//	part "/job:localhost/replica:0/task:0/device:CPU:1" gives 0 2
//	…
//	endpart
//	pair 0 1 "y:0"
//
// If the plan has partial runs, the line "partial" precedes the parts, and the line of a part also
// lists the feeds and sizes that the part needs: part "…" gives 0 2 needs 0 1 sizes B.
func (p *Plan) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "plan %q\n", p.Name)
	p.write(&w)
	return w.String()
}

// write writes all lines of the plan's text except the first one.
func (p *Plan) write(w *strings.Builder) {
	for _, f := range p.Feeds {
		if f.AnyShape {
			fmt.Fprintf(w, "feed %q key %q %v any\n", f.Name, f.Key, f.DType)
			continue
		}
		fmt.Fprintf(w, "feed %q key %q %v%s %s\n", f.Name, f.Key, f.DType, exprs(f.Shape), bufRef(p.own(f.Buf)))
	}
	if p.Ranks != nil {
		w.WriteString("ranks")
		for _, r := range p.Ranks {
			w.WriteString(" " + strconv.Itoa(r))
		}
		w.WriteByte('\n')
	}
	for _, d := range p.Dims {
		fmt.Fprintf(w, "dim %s feed %d axis %d\n", d.Name, d.Feed, d.Axis)
	}
	if p.Batch != "" {
		fmt.Fprintf(w, "batch %s\n", p.Batch)
	}
	if p.Parts != nil {
		if p.Partial {
			w.WriteString("partial\n")
		}
		p.writeParts(w)
		return
	}
	for _, c := range p.Consts {
		fmt.Fprintf(w, "const %d %q %v%v note %q %s\n", c.ID, c.Name, c.DType, c.Shape, c.Note, c.digest())
	}
	for _, b := range p.Bufs {
		writeBuf(w, b)
	}
	for _, b := range p.Bufs {
		if o := b.Object; o != nil {
			fmt.Fprintf(w, "object %s %s", bufRef(b), callText(o.call()))
			if o.Checkpoint != "" {
				fmt.Fprintf(w, " checkpoint %q", o.Checkpoint)
			}
			if o.Slice != "" {
				fmt.Fprintf(w, " slice %q", o.Slice)
			}
			if o.Values != "" {
				fmt.Fprintf(w, " values %q", o.Values)
			}
			w.WriteByte('\n')
		}
	}
	for _, c := range p.Prologue {
		writeCall(w, "check", c)
	}
	writeSteps(w, p.Steps)
	for _, f := range p.Fetches {
		fmt.Fprintf(w, "fetch %q key %q %v%s %s", f.Name, f.Key, f.DType, exprs(f.Shape), bufRef(f.Buf))
		if f.Rank != nil {
			fmt.Fprintf(w, " rank %s", exprs([]*sym.Expr{f.Rank}))
		}
		w.WriteString("\n")
	}
}

func writeSteps(w *strings.Builder, steps []Step) {
	for _, s := range steps {
		writeStep(w, s)
	}
}

func writeStep(w *strings.Builder, s Step) {
	switch s := s.(type) {
	case *If:
		fmt.Fprintf(w, "%s %q %s %s\n", condWord(s.Neg), s.Node, opName(s.Op), viewText(s.Cond))
		writeSteps(w, s.Then)
		if len(s.Else) > 0 {
			w.WriteString("else\n")
			writeSteps(w, s.Else)
		}
		w.WriteString("end\n")
	case *Loop:
		fmt.Fprintf(w, "loop %q %s\n", s.Node, opName(s.Op))
		writeSteps(w, s.Body)
		w.WriteString("end\n")
	case *Tasks:
		fmt.Fprintf(w, "tasks %q %s work %d\n", s.Node, opName(s.Op), s.Work)
		for _, t := range s.Tasks {
			fmt.Fprintf(w, "task work %d", t.Work)
			for i, j := range t.After {
				if i == 0 {
					w.WriteString(" after")
				}
				fmt.Fprintf(w, " %d", j)
			}
			w.WriteByte('\n')
			writeSteps(w, t.Steps)
		}
		w.WriteString("end\n")
	case *Break:
		fmt.Fprintf(w, "break %q %s %s %s\n", s.Node, opName(s.Op), condWord(s.Neg), viewText(s.Cond))
	case *Let:
		fmt.Fprintf(w, "let %q %s", s.Node, opName(s.Op))
		for i, n := range s.Names {
			if i > 0 {
				w.WriteByte(',')
			}
			fmt.Fprintf(w, " %s = %s", n, s.X[i].Key())
		}
		w.WriteByte('\n')
	case *Room:
		fmt.Fprintf(w, "room %q %s %s\n", s.Node, opName(s.Op), bufRef(s.Buf))
	case *Call:
		writeCall(w, "call", s)
	case *Copy:
		fmt.Fprintf(w, "copy %q %s %s, %s\n", s.Node, opName(s.Op), viewText(s.Dst), viewText(s.Src))
	case *Scalar:
		s.write(w)
	case Transfer:
		writeTransfer(w, s)
	case *Par:
		fmt.Fprintf(w, "par %s grain %d most %s wrap %s work %s join %s", s.Total.Key(), max(s.Grain, 1),
			orNone(s.Most), orNone(s.Wrap), orNone(s.Work), orNone(s.Join))
		if s.Least > 0 {
			fmt.Fprintf(w, " least %d", s.Least)
		}
		if s.Strided {
			w.WriteString(" strided")
		}
		w.WriteByte('\n')
		writeSteps(w, s.Body)
		w.WriteString("end\n")
	}
}

func condWord(neg bool) string {
	if neg {
		return "unless"
	}
	return "if"
}

// orNone returns the text of an expression without spaces, or "-" if e is nil.
func orNone(e *sym.Expr) string {
	if e == nil {
		return "-"
	}
	return e.Key()
}

func bufRef(b *Buf) string {
	if b == nil {
		return "_"
	}
	return "%" + strconv.Itoa(b.ID)
}

func exprs(es []*sym.Expr) string {
	ss := make([]string, len(es))
	for i, e := range es {
		ss[i] = e.Key()
	}
	return "[" + strings.Join(ss, ",") + "]"
}

// opName returns the op's name, quoted if it is not a plain word.
func opName(op string) string {
	for _, c := range op {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return strconv.Quote(op)
		}
	}
	if op == "" {
		return `""`
	}
	return op
}

func writeBuf(w *strings.Builder, b *Buf) {
	fmt.Fprintf(w, "buf %s %q %v %v len %s", bufRef(b), b.Name, b.Place, b.DType, b.Len)
	if b.Shape != nil {
		fmt.Fprintf(w, " shape %s", exprs(b.Shape))
	}
	if b.Const != nil {
		fmt.Fprintf(w, " const %d", b.Const.ID)
	}
	if b.Var != nil {
		fmt.Fprintf(w, " var %s", bufRef(b.Var))
	}
	if a := b.Access; a != nil {
		fmt.Fprintf(w, " access %s %q %s", kindNames[a.Kind], a.Node, opName(a.Op))
	}
	if b.Alias != nil {
		off := sym.Zero
		if b.Off != nil {
			off = b.Off
		}
		fmt.Fprintf(w, " alias %s off %s", bufRef(b.Alias), off)
	}
	if b.Offset != 0 {
		fmt.Fprintf(w, " at %d", b.Offset)
	}
	w.WriteByte('\n')
}

func writeCall(w *strings.Builder, verb string, c *Call) {
	fmt.Fprintf(w, "%s %q %s %s", verb, c.Node, opName(c.Op), callText(c))
	if c.Looks {
		w.WriteString(" looks")
	}
	if len(c.Rets) > 0 {
		w.WriteString(" ret " + strings.Join(c.Rets, " "))
	}
	for i, p := range c.InPlace {
		if i == 0 {
			w.WriteString(" inplace")
		}
		fmt.Fprintf(w, " %s=%s", bufRef(p[0]), bufRef(p[1]))
	}
	w.WriteByte('\n')
}

// callText returns the text of the call's function with its arguments.
func callText(c *Call) string {
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = argText(a)
	}
	return c.symbolText() + "(" + strings.Join(args, ", ") + ")"
}

func (c *Call) symbolText() string {
	if u, ok := c.Fn.(Unresolved); ok {
		return string(u)
	}
	path, name, err := c.Symbol()
	if err != nil {
		return "?"
	}
	return path + "." + name
}

func viewText(v View) string {
	off := "0"
	if v.Off != nil {
		off = v.Off.Key()
	}
	mode := "?"
	if int(v.Mode) < len(modeNames) && modeNames[v.Mode] != "" {
		mode = modeNames[v.Mode]
	}
	return fmt.Sprintf("%s %s[%s:%s]", mode, bufRef(v.Buf), off, v.Len)
}

func argText(a Arg) string {
	switch a := a.(type) {
	case View:
		return viewText(a)
	case Views:
		vs := make([]string, len(a.V))
		for i, v := range a.V {
			vs[i] = viewText(v)
		}
		return "{" + strings.Join(vs, ", ") + "}"
	case Queue:
		return "queue"
	case Elements:
		return "elements " + strconv.Quote(a.Text())
	case Int:
		return a.X.Key()
	case Ints:
		return exprs(a.X)
	case Raw:
		return string(a)
	case Context:
		return "context"
	case Budget:
		return "budget"
	case Files:
		return "files"
	case Exchange:
		return "exchange"
	case Value:
		return literalText(reflect.ValueOf(a.V))
	case Struct:
		return structText(a)
	}
	return fmt.Sprintf("?%T", a)
}

// literalText returns the text of a literal. The text begins with #, which distinguishes literals
// from expressions.
func literalText(v reflect.Value) string {
	if !v.IsValid() {
		return "#nil"
	}
	return "#" + oneLine(fmt.Sprintf("%#v", v.Interface()))
}

// operandsMark comes between the values of a parameter struct's plain fields and the operands in
// its other fields.
const operandsMark = " with"

func structText(s Struct) string {
	names := make([]string, 0, len(s.Fields))
	for f := range s.Fields {
		names = append(names, f)
	}
	sort.Strings(names)
	text, raw := "", false
	if r, ok := s.V.(Raw); ok {
		text, raw = string(r), true
	}
	if !raw {
		text = literalText(reflect.ValueOf(s.V))
	}
	for _, f := range names {
		text += fmt.Sprintf(" %s=%s", f, exprs(s.Fields[f]))
	}
	for i, o := range s.Operands {
		if i == 0 {
			text += operandsMark
		}
		text += fmt.Sprintf(" %s=%s", o.Field, viewText(o.View))
	}
	return text
}

func oneLine(s string) string {
	return strings.NewReplacer("\n", " ", "\r", " ").Replace(s)
}

// digest returns a digest of the constant's bytes.
func (c *Const) digest() string {
	if r, ok := c.Data.(digestOnly); ok {
		return string(r)
	}
	h := ir.NewHash()
	if ss, ok := c.Data.([]string); ok {
		for _, s := range ss {
			fmt.Fprintf(h, "%d:%s", len(s), s)
		}
	} else if v := reflect.ValueOf(c.Data); v.Kind() == reflect.Slice && v.Len() > 0 {
		h.Write(tensor.Raw(v))
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)[:8])
}

// digestOnly is the Data of a constant in a plan that was parsed from text, which contains only a
// digest of the data.
type digestOnly string
