package lower

import (
	"fmt"
	"reflect"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/conv"
	"github.com/graphc/graphc/kernels/gather"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// WithFields is s with fields set, pairs of a name and an expression.
func WithFields(s plan.Struct, fields ...any) plan.Struct {
	t := plan.Lit(s.V, fields...)
	for k, es := range s.Fields {
		if _, ok := t.Fields[k]; !ok {
			t.Fields[k] = es
		}
	}
	return t
}

// Weights is how the weights of f32 products, convolutions and embedding tables
// are stored. Sums are f32 whatever it is.
type Weights int

// The ways to store weights.
const (
	WeightsF32  Weights = iota // as they are
	WeightsF16                 // rounded to f16
	WeightsBF16                // rounded to bf16
	WeightsI8                  // bytes with a scale an output channel, or a row of a table
)

var weightNames = [...]string{"f32", "f16", "bf16", "int8"}

// String returns the name users give.
func (w Weights) String() string { return weightNames[w] }

// ParseWeights reads f32, f16, bf16 or int8; "" is f32. InvalidArgument for others.
func ParseWeights(s string) (Weights, error) {
	for i, n := range weightNames {
		if s == n {
			return Weights(i), nil
		}
	}
	if s == "" {
		return WeightsF32, nil
	}
	return 0, tensor.Errorf(tensor.InvalidArgument, "weights %q are not known: f32, f16, bf16 or int8", s)
}

// Set is ParseWeights, for flags.
func (w *Weights) Set(s string) (err error) {
	*w, err = ParseWeights(s)
	return err
}

// Type is what a flag's value is called.
func (w *Weights) Type() string { return "type" }

// StoreWeights has weights stored as w. Convolutions are then computed as the
// sums they are, since Winograd's weights are several times as many.
func StoreWeights(w Weights) Option {
	return func(l *lowerer) {
		if w != WeightsF32 {
			l.weights, l.exactConv = w, true
		}
	}
}

// fewWeights is the number of elements below which weights are left as they are.
const fewWeights = 1024

// narrowUse is a call that reads a constant as packed weights or as a table.
type narrowUse struct {
	call  *plan.Call
	inPar bool
	at    int // of the constant among the arguments
	depth int // rows of a panel, or elements of a table's row
	table bool
	room  int // floats to widen to
}

// narrowWeights stores constants that only products, convolutions and gathers
// read in fewer bits, and has those calls read them so.
func (l *lowerer) narrowWeights() {
	if l.weights == WeightsF32 {
		return
	}
	uses, order := l.narrowUses()
	replace := map[*plan.Call][]plan.Step{}
	for _, b := range order {
		us := uses[b]
		if len(us) == 0 {
			continue
		}
		scale, ok := l.storeNarrow(b, us[0])
		if !ok {
			continue
		}
		for _, u := range us {
			if u.table {
				replace[u.call] = l.gatherNarrow(u, scale)
			} else {
				l.multiplyNarrow(u, scale)
			}
		}
	}
	l.p.Steps = replaceCalls(l.p.Steps, replace)
}

// replaceCalls puts steps in the places of calls, in conditionals and loops too.
func replaceCalls(list []plan.Step, by map[*plan.Call][]plan.Step) []plan.Step {
	var steps []plan.Step
	for _, s := range list {
		switch s := s.(type) {
		case *plan.Call:
			if r := by[s]; r != nil {
				steps = append(steps, r...)
				continue
			}
		case *plan.If:
			s.Then, s.Else = replaceCalls(s.Then, by), replaceCalls(s.Else, by)
		case *plan.Loop:
			s.Body = replaceCalls(s.Body, by)
		}
		steps = append(steps, s)
	}
	return steps
}

// narrowUses finds the f32 constants all of whose readers take them in fewer
// bits; the others have no uses.
func (l *lowerer) narrowUses() (map[*plan.Buf][]narrowUse, []*plan.Buf) {
	uses, bad := map[*plan.Buf][]narrowUse{}, map[*plan.Buf]bool{}
	var order []*plan.Buf
	see := func(s plan.Step, inPar bool) {
		c, isCall := s.(*plan.Call)
		s.Views(func(v plan.View) {
			b := v.Buf.Root()
			if b.Place != plan.Constant || b.DType != tensor.Float32 || bad[b] {
				return
			}
			var u narrowUse
			ok := isCall && b == v.Buf
			if ok {
				u, ok = narrowCall(c, b)
				u.inPar = inPar
			}
			old := uses[b]
			if ok && len(old) > 0 {
				ok = old[0].depth == u.depth && old[0].table == u.table && old[len(old)-1].call != c
			}
			if !ok {
				bad[b] = true
				delete(uses, b)
				return
			}
			if len(old) == 0 {
				order = append(order, b)
			}
			uses[b] = append(old, u)
		})
	}
	var walk func(list []plan.Step)
	walk = func(list []plan.Step) {
		for _, s := range list {
			switch s := s.(type) {
			case *plan.Par:
				for _, s := range s.Body {
					see(s, true)
				}
			case *plan.If:
				walk(s.Then)
				walk(s.Else)
			case *plan.Loop:
				walk(s.Body)
			default:
				see(s, false)
			}
		}
	}
	walk(l.p.Steps)
	for _, f := range l.p.Fetches {
		delete(uses, f.Buf.Root())
	}
	for _, b := range l.p.Bufs {
		if b.Object == nil {
			continue
		}
		for _, a := range b.Object.Args { // a variable begins with it, in its own type
			if v, ok := a.(plan.View); ok {
				delete(uses, v.Buf.Root())
			}
		}
	}
	return uses, order
}

func sameFunc(f, g any) bool { return reflect.ValueOf(f).Pointer() == reflect.ValueOf(g).Pointer() }

// narrowCall reports a call whose weights, in b, may be stored in fewer bits.
func narrowCall(c *plan.Call, b *plan.Buf) (u narrowUse, ok bool) {
	if n, ok := b.Len.IsInt(); !ok || n < fewWeights {
		return u, false
	}
	u.call = c
	switch {
	case sameFunc(c.Fn, gemm.F32):
		u.at = 2
		s := c.Args[len(c.Args)-1].(plan.Struct)
		u.depth = structInt(s, "K")
		if n, _ := b.Len.IsInt(); u.depth > 0 {
			u.room = gemm.WideLen(gemm.Params{M: 1, N: n / u.depth, K: u.depth})
		}
	case sameFunc(c.Fn, conv.F32):
		u.at = 2
		s := c.Args[len(c.Args)-1].(plan.Struct)
		groups := max(structInt(s, "Groups"), 1)
		p := conv.Params{KH: structInt(s, "KH"), KW: structInt(s, "KW"), C: structInt(s, "C"), OC: structInt(s, "OC"), Groups: groups}
		if p.C%groups != 0 || p.OC%groups != 0 {
			return u, false
		}
		u.depth, u.room = p.KH*p.KW*(p.C/groups), conv.WideLen(p)
	case sameFunc(c.Fn, gather.GatherF32I32), sameFunc(c.Fn, gather.GatherF32I64):
		u.at, u.table = 1, true
		s := c.Args[len(c.Args)-1].(plan.Struct)
		u.depth = structInt(s, "Inner")
		if structInt(s, "Batch") != 1 || structInt(s, "Outer") != 1 {
			return u, false
		}
	default:
		return u, false
	}
	v, isView := c.Args[u.at].(plan.View)
	if !isView || v.Buf != b || u.depth <= 0 {
		return u, false
	}
	for i, a := range c.Args { // nowhere else in the call
		if w, isView := a.(plan.View); isView && i != u.at && w.Buf.Root() == b {
			return u, false
		}
	}
	return u, true
}

// structInt is a field of a struct argument, 0 where it is not known.
func structInt(s plan.Struct, field string) int {
	if es := s.Fields[field]; len(es) == 1 {
		n, _ := es[0].IsInt()
		return n
	}
	return int(reflect.ValueOf(s.V).FieldByName(field).Int())
}

// storeNarrow changes a constant to fewer bits and returns its scales, for bytes.
func (l *lowerer) storeNarrow(b *plan.Buf, u narrowUse) (scale *plan.Buf, ok bool) {
	src := b.Const.Data.([]float32)
	var data any
	d := tensor.Invalid
	switch l.weights {
	case WeightsF16:
		dst := make([]tensor.F16, len(src))
		ok, data, d = gemm.NarrowF16(dst, src), dst, tensor.Half
	case WeightsBF16:
		dst := make([]tensor.BF16, len(src))
		ok, data, d = gemm.NarrowBF16(dst, src), dst, tensor.BFloat16
	case WeightsI8:
		dst := make([]int8, len(src))
		s := make([]float32, len(src)/u.depth)
		if u.table {
			ok = gemm.NarrowRowsI8(dst, s, src, u.depth)
		} else {
			ok = gemm.NarrowI8(dst, s, src, u.depth)
		}
		data, d = dst, tensor.Int8
		if ok {
			scale = l.constBuf(b.Const.Name+"/scale", "scales of "+b.Const.Note, &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{len(s)}, Data: s})
		}
	}
	if !ok {
		return nil, false
	}
	c := b.Const
	c.Data, c.DType, b.DType = data, d, d
	if c.Note != "" {
		c.Note += ", "
	}
	c.Note += "stored as " + l.weights.String()
	return scale, true
}

// multiplyNarrow has a product or a convolution read narrow weights.
func (l *lowerer) multiplyNarrow(u narrowUse, scale *plan.Buf) {
	c := u.call
	isConv := sameFunc(c.Fn, conv.F32)
	pick := func(gemm, conv any) any {
		if isConv {
			return conv
		}
		return gemm
	}
	v := c.Args[u.at].(plan.View)
	args := append([]plan.Arg{}, c.Args[:u.at+1]...)
	switch l.weights {
	case WeightsF16:
		c.Fn = pick(gemm.F32F16, conv.F32F16)
	case WeightsBF16:
		c.Fn = pick(gemm.F32BF16, conv.F32BF16)
	case WeightsI8:
		c.Fn = pick(gemm.F32I8, conv.F32I8)
		w := plan.View{Buf: scale, Len: v.Len.Div(sym.Int(u.depth)), Mode: plan.Read}
		if v.Off != nil {
			w.Off = v.Off.Div(sym.Int(u.depth))
		}
		args = append(args, w)
	}
	l.temps++
	room := l.newBuf(fmt.Sprintf("%s/scratch%d", c.Node, l.temps), tensor.Float32, sym.Int(u.room))
	if u.inPar {
		room.Place = plan.Worker
	}
	last := len(c.Args) - 1
	args = append(args, c.Args[u.at+1:last]...)
	c.Args = append(args, plan.View{Buf: room, Len: room.Len, Mode: plan.ReadWrite}, c.Args[last])
	l.fits(c)
}

// gatherNarrow is what stands for a gather of f32 rows: a gather of narrow ones,
// and their widening.
func (l *lowerer) gatherNarrow(u narrowUse, scale *plan.Buf) []plan.Step {
	c := u.call
	dst, table := c.Args[0].(plan.View), c.Args[1].(plan.View)
	temp := func(d tensor.DType, n *sym.Expr) plan.View {
		l.temps++
		b := l.newBuf(fmt.Sprintf("%s/scratch%d", c.Node, l.temps), d, n)
		return plan.View{Buf: b, Len: n, Mode: plan.Write}
	}
	read := func(v plan.View) plan.View { v.Mode = plan.Read; return v }
	call := func(fn any, args ...plan.Arg) *plan.Call {
		k := &plan.Call{Node: c.Node, Op: c.Op, Fn: fn, Args: args}
		l.fits(k)
		return k
	}
	long := sameFunc(c.Fn, gather.GatherF32I64)
	pick := func(i32, i64 any) any {
		if long {
			return i64
		}
		return i32
	}
	few := temp(table.Buf.DType, dst.Len)
	switch l.weights {
	case WeightsF16:
		return []plan.Step{call(pick(gather.GatherF16I32, gather.GatherF16I64), few, table, c.Args[2], c.Args[3]), call(gemm.WidenF16, dst, read(few))}
	case WeightsBF16:
		return []plan.Step{call(pick(gather.GatherBF16I32, gather.GatherBF16I64), few, table, c.Args[2], c.Args[3]), call(gemm.WidenBF16, dst, read(few))}
	}
	rows := temp(tensor.Float32, dst.Len.Div(sym.Int(u.depth)))
	one := WithFields(c.Args[3].(plan.Struct), "Inner", sym.One)
	return []plan.Step{
		call(pick(gather.GatherI8I32, gather.GatherI8I64), few, table, c.Args[2], c.Args[3]),
		call(c.Fn, rows, plan.View{Buf: scale, Len: scale.Len, Mode: plan.Read}, c.Args[2], one),
		call(gemm.WidenRowsI8, dst, read(few), read(rows), plan.ArgOf(u.depth)),
	}
}

// fits refuses a call whose arguments are not those of its kernel.
func (l *lowerer) fits(c *plan.Call) {
	if err := c.Check(); err != nil {
		l.errs = append(l.errs, tensor.AtNode(tensor.Errorf(tensor.Internal, "%v", err), c.Node, c.Op))
	}
}
