package codegen

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/device"
)

// A partition on a device that is no CPU has its memory there (rt.Work), and calls that
// append to a queue. Calls that only do so stand in functions of their own: a segment,
// which is recorded once and then done again.

// accelerated reports a partition on a device that is no CPU.
func (s *signature) accelerated() bool { return !device.IsCPU(s.plan.Device) }

// pointer prints where a window of a buffer in a device's memory begins.
func (p *printer) pointer(v plan.View, off *sym.Expr) (*jen.Statement, error) {
	root := v.Buf.Root()
	g := p.local("g")
	switch root.Place {
	case plan.Device:
		i, ok := p.sig.devRoot[root]
		if !ok {
			return nil, fmt.Errorf("buffer %q is not laid out", root.Name)
		}
		if p.sig.layout.Device.Static {
			return g.Dot("At").Call(p.based(off, root.Offset)), nil
		}
		at := p.local("g").Dot("Off").Index(jen.Lit(i))
		if !off.Is(0) {
			at = at.Op("+").Add(p.expr(off))
		}
		return g.Dot("At").Call(at), nil
	case plan.DeviceConst:
		at, ok := p.e.data.offset[root.Const]
		if !ok {
			return nil, fmt.Errorf("constant %q is not in the weights", root.Const.Name)
		}
		return g.Dot("Const").Call(p.based(off, at)), nil
	case plan.DeviceVar:
		k, ok := p.sig.devVars[root]
		if !ok {
			return nil, fmt.Errorf("the value of the variable %q has no slot", root.Name)
		}
		return g.Dot("Var").Call(jen.Lit(k), p.expr(off)), nil
	}
	k, ok := p.sig.grown[root]
	if !ok {
		return nil, fmt.Errorf("buffer %q is not laid out", root.Name)
	}
	return g.Dot("Own").Call(jen.Lit(k), p.expr(off)), nil
}

// queue prints the queue of the partition.
func (p *printer) queue() *jen.Statement { return p.local("g").Dot("Queue") }

// pointers prints a list of them.
func (s *stepsFile) pointers(a plan.Views) (*jen.Statement, error) {
	var list []jen.Code
	for _, v := range a.V {
		x, err := s.view(v)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return jen.Index().Add(s.e.device("Ptr")).Values(list...), nil
}

func (e *emitter) device(name string) *jen.Statement {
	return jen.Qual(e.path(Module+"/rt/device"), name)
}

// segments joins adjacent steps that are recorded into one span each, with the copies
// between host and device among them.
func (s *stepsFile) segments(steps []plan.Step, all []span) []span {
	var out []span
	of := s.sig.plan.Segments(steps)
	for _, sp := range all {
		k := of[sp.start]
		sp.recorded = k >= 0 // these stand alone: see key
		if n := len(out); n > 0 && sp.recorded && of[out[n-1].start] == k {
			out[n-1].period++
		} else {
			out = append(out, sp)
		}
	}
	return out
}

// segment prints recorded steps as functions, and what records and does them. What the host
// copies stands around that.
func (s *stepsFile) segment(steps []plan.Step) ([]jen.Code, error) {
	k := s.sig.segments
	s.sig.segments++
	first := s.index[steps[0]]
	text := fmt.Sprintf("// Segment %d: %s", k, node(steps[0]))
	if n := len(steps); n > 1 {
		text += fmt.Sprintf(" to %s, %d steps", node(steps[n-1]), n)
	}
	copies := map[plan.Step]int{}
	var feeds, fetches []jen.Code
	for _, st := range steps {
		k := s.sig.copies
		switch st := st.(type) {
		case *plan.Put:
			host, err := s.view(st.Src)
			if err != nil {
				return nil, err
			}
			feeds = append(feeds, s.queue().Dot("Feed").Call(jen.Lit(k), host))
		case *plan.Get:
			host, err := s.view(st.Dst)
			if err != nil {
				return nil, err
			}
			fetches = append(fetches, s.begin(st.Node, st.Op, nil, s.index[st])...)
			fetches = append(fetches, s.results(st.Call(), s.queue().Dot("Fetch").Call(jen.Lit(k), host))...)
		default:
			continue
		}
		copies[st] = k
		s.sig.copies++
	}
	var record []jen.Code
	fixed := s.fixedSegment(steps)
	uses := plan.Holds(steps, s.sig.devVars)
	s.sig.holds = append(s.sig.holds, uses)
	for part := 0; len(steps) > 0; part++ {
		n := min(blockSize, len(steps))
		name := fmt.Sprintf("%sSegment%d", s.sig.prefix, k)
		if part > 0 {
			name += fmt.Sprintf("Part%d", part)
		}
		outer, errs, ints := s.printer, s.errs, s.ints
		s.begun(nil)
		var body []jen.Code
		for _, st := range steps[:n] {
			code, err := s.recorded(st, copies[st])
			if err != nil {
				return nil, err
			}
			body = append(body, code...)
		}
		s.funcs = append(s.funcs, jen.Comment(fmt.Sprintf("// %s records a part of segment %d.", name, k)).Line().
			Add(s.functionOf(name, []jen.Code{jen.Id("s").Op("*").Id(s.sig.prefix + "State")}, body)))
		s.printer, s.errs, s.ints = outer, errs, ints
		record = append(record, jen.Id(name).Call(jen.Id("s")))
		steps = steps[n:]
	}
	s.errs = true
	if fixed && !s.tasking {
		s.sig.recorded = append(s.sig.recorded, jen.Id("s").Dot("Work").Dot("Queue").Dot("Begin").Call(jen.Lit(k), jen.True()))
		s.sig.recorded = append(s.sig.recorded, record...)
	}
	do := func(call *jen.Statement) jen.Code {
		return jen.If(jen.Err().Op("=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
	}
	code := []jen.Code{jen.Comment(text), s.under(first)}
	end := s.queue().Dot("End").Call()
	if len(uses) > 0 {
		code = append(code, do(s.local("g").Dot("Hold").Call(jen.Lit(k))))
		end = s.local("g").Dot("Release").Call()
	}
	code = append(code, jen.If(s.queue().Dot("Begin").Call(jen.Lit(k), jen.Lit(fixed))).Block(record...))
	code = append(code, feeds...)
	return append(append(code, do(end)), fetches...), nil
}

// holds prints the variables that segments use, by segment.
func (s *stepsFile) holds() (*jen.Statement, error) {
	var lists []jen.Code
	last := 0
	for _, uses := range s.sig.holds {
		var list []jen.Code
		for _, u := range uses {
			c, err := s.fields(reflect.ValueOf(u), nil)
			if err != nil {
				return nil, err
			}
			list = append(list, jen.Values(c...))
		}
		if lists = append(lists, multi(list)); len(list) > 0 {
			last = len(lists)
		}
	}
	if last == 0 {
		return nil, nil
	}
	return jen.Index().Index().Add(jen.Qual(s.e.path(Module+"/rt/device/devvar"), "Use")).Add(multi(lists[:last])), nil
}

// recorded prints what is recorded of a step: of copy k between host and device, the device's side.
func (s *stepsFile) recorded(st plan.Step, k int) ([]jen.Code, error) {
	i := s.index[st]
	switch st := st.(type) {
	case *plan.Put:
		code := s.begin(st.Node, st.Op, nil, i)
		return s.deviceSide(code, st, "Upload", k, st.Dst, st.Src.Len)
	case *plan.Get:
		code := []jen.Code{jen.Comment(fmt.Sprintf("// %s", node(st))), s.under(i)}
		return s.deviceSide(code, st, "Download", k, st.Src, st.Dst.Len)
	}
	return s.step(st, i)
}

// deviceSide appends to code the call of the queue's method that records copy k of so many
// bytes, from or to v.
func (s *stepsFile) deviceSide(code []jen.Code, st plan.Transfer, method string, k int, v plan.View, bytes *sym.Expr) ([]jen.Code, error) {
	at, err := s.view(v)
	if err != nil {
		return nil, err
	}
	name, op := plan.NodeOf(st)
	return append(code, s.queue().Dot("At").Call(jen.Lit(name), jen.Lit(op)), s.queue().Dot(method).Call(jen.Lit(k), at, s.expr(bytes))), nil
}

// node names the node of a recorded step.
func node(st plan.Step) string {
	name, op := plan.NodeOf(st)
	return fmt.Sprintf("%s %s", quote(name), plain(op))
}

// fixedSegment reports that recorded steps are the same in each run with the same
// sizes of the feeds.
func (s *stepsFile) fixedSegment(steps []plan.Step) bool {
	return !slices.ContainsFunc(steps, func(st plan.Step) bool { return !s.sig.plan.Fixed(st) })
}

// largest prints the largest buffers of a block whose size is known.
func (s *stepsFile) largest(l *plan.Block) []jen.Code {
	const most = 8
	order := make([]int, len(l.Roots))
	sizes := make([]int, len(l.Roots))
	for i := range order {
		order[i] = i
		sizes[i], _ = l.Sizes[i].IsInt()
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	var out []jen.Code
	for _, i := range order[:min(len(order), most)] {
		out = append(out, jen.Values(jen.Id("Bytes").Op(":").Lit(sizes[i]),
			jen.Id("Life").Op(":").Qual(s.e.path(Module+"/rt/mem"), "Life").Add(life(l.Lives[i]))))
	}
	return out
}

// work prints the description of what a partition has on its device.
func (s *stepsFile) work(f *jen.File) error {
	sig, l := s.sig, &s.sig.layout.Device
	var code []jen.Code
	if sig.segments > 0 {
		code = append(code, jen.Id("Segments").Op(":").Lit(sig.segments))
	}
	if l.Static {
		code = append(code, jen.Id("Arena").Op(":").Lit(l.Bytes))
		if held := s.largest(l); len(held) > 0 {
			code = append(code, jen.Id("Largest").Op(":").Index().Add(s.e.rt("Held")).Add(multi(held)))
		}
	} else {
		code = append(code, jen.Id("Lives").Op(":").Id(sig.prefix+"WorkLives").Index(jen.Op(":")), jen.Id("Sizes").Op(":").Id(sig.prefix+"WorkBytes"))
	}
	if n := len(sig.layout.Grown); n > 0 {
		code = append(code, jen.Id("Grow").Op(":").Lit(n))
	}
	for _, b := range sig.plan.Bufs {
		if b.Place == plan.DeviceConst {
			code = append(code, jen.Id("Const").Op(":").True())
			break
		}
	}
	if records(sig.plan) {
		code = append(code, jen.Id("Typical").Op(":").Index().Id(sig.dimsType()).Add(typical(sig.plan)))
	}
	uses, err := s.holds()
	if err != nil {
		return err
	}
	if uses != nil {
		code = append(code, jen.Id("Vars").Op(":").Add(uses))
	}
	f.Comment(fmt.Sprintf("// %sWork describes what a run of the part has on %s.", sig.prefix, strings.TrimPrefix(sig.plan.Device, "/job:localhost/replica:0/task:0")))
	f.Var().Id(sig.prefix + "Work").Op("=").Add(s.e.rt("WorkCode")).Types(jen.Id(sig.dimsType())).Add(multi(code))
	f.Line()
	if !l.Static {
		s.blockSizes(f, l, sig.prefix+"Work", "the device's arena")
	}
	if records(sig.plan) {
		f.Comment(fmt.Sprintf("// %sRecord records the segments that depend on the sizes of the feeds alone, for New to load their kernels.", sig.prefix))
		f.Func().Id(sig.prefix + "Record").Params(jen.Id("s").Op("*").Id(sig.prefix + "State")).Block(sig.recorded...).Line()
	}
	return nil
}

// records reports a partition with segments.
func records(p *plan.Plan) bool {
	found := false
	plan.Walk(p.Steps, func(_ int, st plan.Step) { found = found || plan.Recorded(st) })
	return found
}

// typicalSizes are what every size that is not known is taken for when kernels are chosen before
// a run: of a request by itself, and of a batch.
var typicalSizes = []int{1, 32}

// typical prints the sizes for which New loads kernels.
func typical(p *plan.Plan) *jen.Statement {
	if len(p.Dims) == 0 {
		return jen.Values(jen.Values())
	}
	var all []jen.Code
	for _, n := range typicalSizes {
		var dims []jen.Code
		for _, d := range p.Dims {
			dims = append(dims, jen.Id(symbolField(d.Name)).Op(":").Lit(n))
		}
		all = append(all, jen.Values(dims...))
	}
	return jen.Values(all...)
}
