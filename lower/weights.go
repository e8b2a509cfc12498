package lower

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Weights is the format in which the weights of f32 products, convolutions and embedding tables are
// stored. With every format, sums are computed in f32.
type Weights int

// The formats of weights.
const (
	WeightsF32  Weights = iota // unchanged
	WeightsF16                 // rounded to f16
	WeightsBF16                // rounded to bf16
	WeightsI8                  // int8, with a scale for each output channel or row of a table
)

var weightNames = [...]string{"f32", "f16", "bf16", "int8"}

// String returns the name that users specify.
func (w Weights) String() string { return weightNames[w] }

// ParseWeights parses f32, f16, bf16 or int8; "" means f32. The error is InvalidArgument for other
// names.
func ParseWeights(s string) (Weights, error) {
	for i, n := range weightNames {
		if s == n {
			return Weights(i), nil
		}
	}
	if s == "" {
		return WeightsF32, nil
	}
	return 0, tensor.Errorf(tensor.InvalidArgument, "unknown weights %q: use f32, f16, bf16 or int8", s)
}

// Set sets w to ParseWeights(s). Set, String and Type implement pflag.Value.
func (w *Weights) Set(s string) (err error) {
	*w, err = ParseWeights(s)
	return err
}

// Type returns the word that the help texts of flags use for a value.
func (w *Weights) Type() string { return "type" }

// StoreWeights makes Lower store weights in format w. Convolutions are then computed as plain sums,
// because Winograd's method needs several times as many weights.
func StoreWeights(w Weights) Option {
	return func(l *lowerer) {
		if w != WeightsF32 {
			l.weights, l.exactConv = w, true
		}
	}
}

// fewWeights is the number of elements below which weights are left unchanged.
const fewWeights = 1024

// narrowUse is a call that reads a constant as weights.
type narrowUse struct {
	call  *plan.Call
	what  *Weighing
	inPar bool
	depth int // number of rows of a panel, or number of elements of a table's row
	room  int // number of float32 values in the scratch memory for converted weights
}

// narrowWeights stores in fewer bits the constants that only products, convolutions and gathers
// read, and changes the calls that read these constants.
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
			if u.what.By.Table {
				replace[u.call] = l.gatherNarrow(u, scale)
			} else {
				l.multiplyNarrow(u, scale)
			}
		}
	}
	l.p.Steps = replaceCalls(l.p.Steps, replace)
}

// replaceCalls replaces each call in the map by its steps, including those in conditionals and
// loops.
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

// narrowUses finds the f32 constants whose readers can all read fewer bits. The map holds the uses
// of these constants. The list holds them in the order of their first uses; it may also hold other
// constants, which have no entry in the map.
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
				u, ok = l.narrowCall(c, b)
				u.inPar = inPar
			}
			old := uses[b]
			if ok && len(old) > 0 {
				ok = old[0].depth == u.depth && old[0].what.By.Table == u.what.By.Table && old[len(old)-1].call != c
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
		for _, a := range b.Object.Args { // the constant is a variable's first value, so it must keep its type
			if v, ok := a.(plan.View); ok {
				delete(uses, v.Buf.Root())
			}
		}
	}
	return uses, order
}

// narrowCall reports whether the weights that call c reads from buffer b may be stored in fewer
// bits.
func (l *lowerer) narrowCall(c *plan.Call, b *plan.Buf) (u narrowUse, ok bool) {
	w := l.weighings[c]
	n, known := b.Len.IsInt()
	if w == nil || w.By.Fns[l.weights] == nil || !known || n < fewWeights {
		return u, false
	}
	u.call, u.what, u.depth = c, w, w.By.Depth(w.Params)
	if w.Weights.Buf != b || u.depth <= 0 {
		return u, false
	}
	seen := 0 // number of views of b in the call; it must be 1
	c.Views(func(v plan.View) {
		if v.Buf.Root() == b {
			seen++
		}
	})
	if w.By.Room != nil {
		u.room = w.By.Room(w.Params, n)
	}
	return u, seen == 1
}

// storeNarrow stores a constant in fewer bits. It returns the scales if the format is int8.
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
		if u.what.By.Table {
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

// multiplyNarrow changes the call of a product or a convolution to read narrow weights.
func (l *lowerer) multiplyNarrow(u narrowUse, scale *plan.Buf) {
	c, w := u.call, u.what
	var scales *plan.View
	if scale != nil {
		v := plan.View{Buf: scale, Len: w.Weights.Len.Div(sym.Int(u.depth)), Mode: plan.Read}
		if w.Weights.Off != nil {
			v.Off = w.Weights.Off.Div(sym.Int(u.depth))
		}
		scales = &v
	}
	room := l.newBuf(c.Node+"/scratch", tensor.Float32, sym.Int(u.room))
	if u.inPar {
		room.Place = plan.Worker
	}
	c.Fn, c.Args = w.By.Fns[l.weights], nil
	for _, a := range w.args(scales, &plan.View{Buf: room, Len: room.Len, Mode: plan.ReadWrite}) {
		c.Args = append(c.Args, plan.ArgOf(a))
	}
	l.fits(c)
}

// gatherNarrow returns the replacement of a gather of f32 rows: a gather of narrow rows, followed
// by a step that widens these rows.
func (l *lowerer) gatherNarrow(u narrowUse, scale *plan.Buf) []plan.Step {
	w := u.what
	temp := func(d tensor.DType, n *sym.Expr) plan.View {
		b := l.newBuf(u.call.Node+"/scratch", d, n)
		return plan.View{Buf: b, Len: n, Mode: plan.Write}
	}
	call := func(fn any, args ...plan.Arg) *plan.Call {
		k := &plan.Call{Node: u.call.Node, Op: u.call.Op, Fn: fn, Args: args}
		l.fits(k)
		return k
	}
	few := temp(w.Weights.Buf.DType, w.Out.Len)
	narrow := call(w.By.Fns[l.weights], few, w.Weights, w.In, w.Params)
	switch l.weights {
	case WeightsF16:
		return []plan.Step{narrow, call(gemm.WidenF16, w.Out, readOf(few))}
	case WeightsBF16:
		return []plan.Step{narrow, call(gemm.WidenBF16, w.Out, readOf(few))}
	}
	rows := temp(tensor.Float32, w.Out.Len.Div(sym.Int(u.depth)))
	return []plan.Step{
		narrow,
		call(w.By.Fns[WeightsF32], rows, plan.View{Buf: scale, Len: scale.Len, Mode: plan.Read}, w.In, w.Params.With("Inner", sym.One)),
		call(gemm.WidenRowsI8, w.Out, readOf(few), readOf(rows), plan.ArgOf(u.depth)),
	}
}

// fits rejects a call whose arguments do not fit its kernel.
func (l *lowerer) fits(c *plan.Call) {
	if err := c.Check(); err != nil {
		l.errs = append(l.errs, tensor.AtNode(tensor.Errorf(tensor.Internal, "%v", err), c.Node, c.Op))
	}
}

func readOf(v plan.View) plan.View {
	v.Mode = plan.Read
	return v
}
