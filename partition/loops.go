package partition

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// colocate changes the devices of control flow nodes, whatever devices the model requests. A Switch
// moves to the device of its data input, and an Exit to that of its input. Enter, NextIteration and
// RefNextIteration, but not RefEnter, move to the device of the first node that reads their output.
// As a result, fewer devices take part in a loop, and values in branches that are not taken are not
// sent. colocate visits the nodes in a depth-first search from the source; it follows the last
// edges of a node first.
func (f *flat) colocate() {
	seen := map[*vertex]bool{}
	stack := []*vertex{f.source}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[v] {
			continue
		}
		seen[v] = true
		if v != f.source && v != f.sink {
			v.follow()
		}
		for _, l := range v.out {
			if !seen[l.dst] {
				stack = append(stack, l.dst)
			}
		}
	}
}

// follow moves one node of control flow; see colocate.
func (v *vertex) follow() {
	switch {
	case v.is("Switch") || v.node.Op == "_SwitchN":
		for _, l := range v.in {
			if l.in == 0 {
				v.device = l.src.device
				return
			}
		}
	case v.is("Exit"):
		for _, l := range v.in {
			if !l.control() {
				v.device = l.src.device
				return
			}
		}
	case v.node.Op == "Enter" || v.is("NextIteration"):
		for _, l := range v.out {
			if !l.control() {
				v.device = l.dst.device
				return
			}
		}
	}
}

// loop is the control loop of a frame on one device. The condition of the frame is computed on
// another device. The nodes of the control loop make the executor of this device begin each
// iteration of the frame.
type loop struct{ enter, merge *vertex }

// loopKey identifies a control loop.
type loopKey struct{ frame, device string }

// controlLoops adds control loops. For each edge that connects two devices within a frame, the device
// of the edge's reader gets a control loop, unless this device already has one for the frame. A
// control loop consists of these nodes:
//
//	Enter → Merge → Switch → NextIteration → Merge
//
// The Switch is controlled by the LoopCond of the frame, whose edge to the Switch also connects two
// devices. The input of the Enter is the Merge of the control loop of the enclosing frame, which is
// added if it is missing. If there is no enclosing frame, the input is an empty constant. The
// reader gets a control edge from the Merge. When the edge between the devices is replaced by a
// send and a receive, this control edge moves to the receive, so that the value is received in each
// iteration.
//
// controlLoops returns InvalidArgument for a frame without LoopCond.
func (s *splitter) controlLoops() error {
	f := s.w
	if err := f.placeFrames(); err != nil {
		return err
	}
	f.colocate()
	conds := map[string]*vertex{}
	for _, v := range f.vertices {
		if v.node.Op == "LoopCond" {
			conds[v.frame.name] = v
		}
	}
	loops := map[loopKey]loop{}
	for _, l := range f.edges[:len(f.edges):len(f.edges)] {
		if !f.crosses(l) {
			continue
		}
		var child loop
		for at := l.src.outputFrame(); ; {
			name := at.frame.name
			if name == "" {
				if child.enter != nil {
					c := s.emptyConst(s.names.make(l.dst.node.Name), l.dst.device)
					c.frame = at.frame
					f.connect(c, 0, child.enter, 0)
				}
				break
			}
			key := loopKey{name, l.dst.device}
			if have, ok := loops[key]; ok {
				if child.enter != nil {
					f.connect(have.merge, 0, child.enter, 0)
				}
				break
			}
			cond := conds[name]
			if cond == nil {
				return tensor.Errorf(tensor.InvalidArgument, "A cross-device loop must have a pivot predicate: %s", name)
			}
			made := s.addLoop(l.dst, at, cond)
			loops[key] = made
			if child.enter != nil {
				f.connect(made.merge, 0, child.enter, 0)
			}
			at, child = at.frame.parent, made
		}
	}
	for _, l := range f.edges[:len(f.edges):len(f.edges)] {
		if f.crosses(l) {
			f.after(loops[loopKey{l.dst.inputFrame().frame.name, l.dst.device}].merge, l.dst)
		}
	}
	return nil
}

// crosses reports whether an edge connects two devices within one frame.
func (f *flat) crosses(l *link) bool {
	if !f.inner(l) || l.src.device == l.dst.device {
		return false
	}
	name := l.src.outputFrame().frame.name
	return name != "" && name == l.dst.inputFrame().frame.name
}

// addLoop adds a control loop on the device of the vertex reader. The loop is in an existing frame:
// the parameter at is a vertex in this frame, and cond is the LoopCond of this frame. The names of
// the new nodes contain the name of the reader.
func (s *splitter) addLoop(reader, at, cond *vertex) loop {
	f, d := s.w, reader.device
	name := func() string { return loopPrefix + s.names.make(reader.node.Name) }
	add := func(name, op string, outs []tensor.DType, attrs map[string]ir.Attr) *vertex {
		attrs["T"] = tensor.Float32
		n := &ir.Node{Name: name, Op: op, Attrs: attrs, Outs: make([]ir.Fact, len(outs)), Ins: make([]ir.Out, 0, 2)}
		for i, t := range outs {
			n.Outs[i].DType = t
		}
		v := f.add(n, d)
		v.frame = at.frame
		return v
	}
	enterName, mergeName, switchName, nextName := name(), name(), name(), name()
	parallel, ok := at.frame.enter.node.Attrs["parallel_iterations"].(int64)
	if !ok {
		parallel = 10
	}
	float := tensor.Float32
	enter := add(enterName, "Enter", []tensor.DType{float}, map[string]ir.Attr{"frame_name": at.frame.name, "parallel_iterations": parallel, "is_constant": false})
	merge := add(mergeName, "Merge", []tensor.DType{float, tensor.Int32}, map[string]ir.Attr{"N": int64(2)})
	sw := add(switchName, "Switch", []tensor.DType{float, float}, map[string]ir.Attr{})
	f.connect(merge, 0, sw, 0)
	f.connect(cond, 0, sw, 1)
	next := add(nextName, "NextIteration", []tensor.DType{float}, map[string]ir.Attr{})
	f.connect(sw, 1, next, 0)
	f.connect(enter, 0, merge, 0)
	f.connect(next, 0, merge, 1)
	return loop{enter, merge}
}

// emptyConst adds a float constant without elements.
func (s *splitter) emptyConst(name, device string) *vertex {
	return s.w.add(emptyConst(name), device)
}

func emptyConst(name string) *ir.Node {
	t := &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{0}, Data: []float32{}}
	return &ir.Node{Name: name, Op: "Const", Attrs: map[string]ir.Attr{"dtype": tensor.Float32, "value": t}, Outs: []ir.Fact{ir.ConstFact(t)}}
}
