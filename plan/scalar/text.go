package scalar

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// accessNames are the names of accesses in the text form.
var accessNames = [...]string{Contiguous: "contiguous", Scalar: "scalar", Strided: "strided", Indexed: "indexed"}

// accessText returns an access with its step, such as strided/1.
func accessText(a Access, s Step) string {
	switch s {
	case NoStep:
		return accessNames[a] + "/0"
	case UnitStep:
		return accessNames[a] + "/1"
	}
	return accessNames[a]
}

// String returns the text form, which Parse reads: a line for each input, operation and output,
// with names and notes after a semicolon.
func (p *Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "dims %d args %d\n", p.Dims, p.Args)
	line := func(note, format string, args ...any) {
		fmt.Fprintf(&b, format, args...)
		if note != "" {
			b.WriteString(" ; " + strings.ReplaceAll(note, "\n", " "))
		}
		b.WriteByte('\n')
	}
	for i, in := range p.Ins {
		line(in.Name, "in %d %s %s", i, in.DType, accessText(in.Access, in.Step))
	}
	for i := range p.Ops {
		o := &p.Ops[i]
		line(o.Note, "%%%d = %s", i, o.Text())
	}
	for i, o := range p.Outs {
		line(o.Name, "out %d %s %s %%%d", i, o.DType, accessText(o.Access, o.Step), o.Value)
	}
	return b.String()
}

// Text returns the operation without its note.
func (o *Op) Text() string {
	s := o.Code.String() + " " + o.DType.String()
	switch o.Code {
	case Const:
		s += fmt.Sprintf(" %#x", o.Bits[0])
		if PartType(o.DType) != tensor.Invalid {
			s += fmt.Sprintf(" %#x", o.Bits[1])
		}
	case Coord, Arg, Load:
		s += " " + strconv.Itoa(o.Number)
	case Call:
		s += " " + o.Func
	}
	for i, v := range o.Args {
		if o.Guarded && i == len(o.Args)-1 {
			s += " if"
		}
		s += fmt.Sprintf(" %%%d", v)
	}
	return s
}

// Parse reads the text form and checks the program.
func Parse(text string) (*Program, error) {
	p := &Program{}
	for n, l := range strings.Split(text, "\n") {
		l, note, _ := strings.Cut(l, ";")
		f := strings.Fields(l)
		if len(f) == 0 {
			continue
		}
		if err := p.parseLine(f, strings.TrimSpace(note)); err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Program) parseLine(f []string, note string) error {
	bad := fmt.Errorf("invalid line of a program: %q", strings.Join(f, " "))
	switch {
	case f[0] == "dims" && len(f) == 4 && f[2] == "args":
		var err1, err2 error
		p.Dims, err1 = strconv.Atoi(f[1])
		p.Args, err2 = strconv.Atoi(f[3])
		if err1 != nil || err2 != nil {
			return bad
		}
	case f[0] == "in" && len(f) == 4:
		d, ok1 := tensor.ParseDType(f[2])
		a, s, ok2 := parseAccess(f[3])
		if !ok1 || !ok2 || f[1] != strconv.Itoa(len(p.Ins)) {
			return bad
		}
		p.Ins = append(p.Ins, Input{DType: d, Access: a, Step: s, Name: note})
	case f[0] == "out" && len(f) == 5:
		d, ok1 := tensor.ParseDType(f[2])
		a, s, ok2 := parseAccess(f[3])
		v, ok3 := parseValue(f[4])
		if !ok1 || !ok2 || !ok3 || f[1] != strconv.Itoa(len(p.Outs)) {
			return bad
		}
		p.Outs = append(p.Outs, Output{DType: d, Value: v, Access: a, Step: s, Name: note})
	case strings.HasPrefix(f[0], "%") && len(f) >= 4 && f[1] == "=":
		if f[0] != "%"+strconv.Itoa(len(p.Ops)) {
			return bad
		}
		o, ok := parseOp(f[2:])
		if !ok {
			return bad
		}
		o.Note = note
		p.Ops = append(p.Ops, o)
	default:
		return bad
	}
	return nil
}

func parseAccess(s string) (Access, Step, bool) {
	for a := range accessNames {
		for _, st := range []Step{AnyStep, NoStep, UnitStep} {
			if s == accessText(Access(a), st) {
				return Access(a), st, true
			}
		}
	}
	return 0, 0, false
}

func parseValue(s string) (Value, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "%"))
	return Value(n), err == nil && strings.HasPrefix(s, "%")
}

// parseOp reads an operation from its fields.
func parseOp(f []string) (o Op, ok bool) {
	for c, name := range codeNames {
		if name == f[0] && name != "" {
			o.Code = Code(c)
		}
	}
	if o.DType, ok = tensor.ParseDType(f[1]); !ok || o.Code == Invalid {
		return o, false
	}
	f = f[2:]
	var err error
	switch o.Code {
	case Const:
		n := 1
		if PartType(o.DType) != tensor.Invalid {
			n = 2
		}
		if len(f) != n {
			return o, false
		}
		for i := range n {
			if o.Bits[i], err = strconv.ParseUint(f[i], 0, 64); err != nil {
				return o, false
			}
		}
		return o, true
	case Coord, Arg, Load:
		if len(f) == 0 {
			return o, false
		}
		if o.Number, err = strconv.Atoi(f[0]); err != nil {
			return o, false
		}
		f = f[1:]
	case Call:
		if len(f) == 0 {
			return o, false
		}
		o.Func, f = f[0], f[1:]
	}
	for i, s := range f {
		if s == "if" && i == len(f)-2 {
			o.Guarded = true
			continue
		}
		v, ok := parseValue(s)
		if !ok {
			return o, false
		}
		o.Args = append(o.Args, v)
	}
	return o, true
}
