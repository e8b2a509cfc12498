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

// The buffers of a partition on a device other than a CPU are in that device's memory (see
// devwork.Work). The partition's calls append work to a queue of the device.

// accelerated reports whether the partition runs on a device other than a CPU.
func (s *signature) accelerated() bool { return !device.IsCPU(s.plan.Device) }

// pointer returns an expression for the address of a part of a buffer in device memory.
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

// queue returns an expression for the queue of the partition.
func (p *printer) queue() *jen.Statement { return p.local("g").Dot("Queue") }

// pointers returns an expression for a list of device pointers.
func (s *funcBody) pointers(a plan.Views) (*jen.Statement, error) {
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

// devwork returns a qualified name of package devwork.
func (e *emitter) devwork(name string) *jen.Statement {
	return jen.Qual(e.path(Module+"/rt/devwork"), name)
}

func (e *emitter) device(name string) *jen.Statement {
	return jen.Qual(e.path(Module+"/rt/device"), name)
}

// holds returns a literal with one list for each segment: the variables in device memory that the
// segment uses. It returns nil if no segment uses such a variable.
func (s *stepsFile) holds() (*jen.Statement, error) {
	b := s.newBody(nil, false)
	var lists []jen.Code
	last := 0
	for _, uses := range s.sig.holds {
		var list []jen.Code
		for _, u := range uses {
			c, err := b.fields(reflect.ValueOf(u), nil)
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

// largest returns literals with the sizes and lifetimes of the largest buffers in a block of
// memory. The sizes of all buffers in the block must be constants.
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

// work emits the variable that describes a partition's memory and work on its device.
func (s *stepsFile) work(f *jen.File) error {
	sig, l := s.sig, &s.sig.layout.Device
	var code []jen.Code
	if sig.segments > 0 {
		code = append(code, jen.Id("Segments").Op(":").Lit(sig.segments))
	}
	if l.Static {
		code = append(code, jen.Id("Arena").Op(":").Lit(l.Bytes))
		if held := s.largest(l); len(held) > 0 {
			code = append(code, jen.Id("Largest").Op(":").Index().Add(s.e.devwork("Held")).Add(multi(held)))
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
		code = append(code, jen.Id("Typical").Op(":").Index().Add(sig.dimsType(), typical(sig)))
	}
	uses, err := s.holds()
	if err != nil {
		return err
	}
	if uses != nil {
		code = append(code, jen.Id("Vars").Op(":").Add(uses))
	}
	f.Comment(fmt.Sprintf("// %sWork describes the memory and the work of the part on %s.", sig.prefix, strings.TrimPrefix(sig.plan.Device, "/job:localhost/replica:0/task:0")))
	f.Var().Id(sig.prefix + "Work").Op("=").Add(s.e.devwork("WorkCode")).Types(sig.dimsType()).Add(multi(code))
	f.Line()
	if !l.Static {
		s.blockSizes(f, l, sig.prefix+"Work", "the device's arena")
	}
	if records(sig.plan) {
		f.Comment(fmt.Sprintf("// %sRecord records the segments that depend on the feeds' sizes alone, so that New can load their kernels.", sig.prefix))
		f.Func().Id(sig.prefix + "Record").Params(jen.Id("s").Op("*").Id(sig.prefix + "State")).Block(sig.recorded...).Line()
	}
	return nil
}

// records reports whether the plan of a partition has segments, which are recorded once and then
// replayed.
func records(p *plan.Plan) bool {
	found := false
	plan.Walk(p.Steps, func(_ int, st plan.Step) { found = found || plan.Recorded(st) })
	return found
}

// typicalSizes are the values assumed for each unknown size when kernels are chosen before a run: 1
// for a single request, 32 for a batch.
var typicalSizes = []int{1, 32}

// typical returns an expression for the sizes for which New loads kernels.
func typical(s *signature) *jen.Statement {
	if len(s.plan.Dims) == 0 {
		return jen.Values(jen.Values())
	}
	var all []jen.Code
	for _, n := range typicalSizes {
		var dims []jen.Code
		for _, d := range s.plan.Dims {
			dims = append(dims, jen.Id(s.field(d.Name)).Op(":").Lit(n))
		}
		all = append(all, jen.Values(dims...))
	}
	return jen.Values(all...)
}
