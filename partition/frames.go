package partition

import (
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// frame describes the loop frame that a vertex belongs to, if it is in a loop.
type frame struct {
	enter  *vertex // an Enter of the frame; the source if outside of loops; nil if unreachable
	parent *vertex // an Enter of the enclosing frame, or the source
	name   string  // "" outside of loops
}

// placeFrames finds the frame of each vertex. An Enter is the first vertex of a new frame. The
// vertices after an Exit are in the enclosing frame. Every other vertex is in the frame of its
// inputs. placeFrames returns InvalidArgument if a node has inputs from different frames, if an
// Enter has no frame name, or if a frame has two LoopConds. As in TensorFlow, it returns Internal
// if a frame has two parent frames.
func (f *flat) placeFrames() error {
	f.source.frame = frame{f.source, f.source, ""}
	seen := map[*vertex]*vertex{} // a vertex → the vertex from which it was first reached
	ready := []*vertex{f.source}
	for len(ready) > 0 {
		v := ready[0]
		ready = ready[1:]
		at := v.frame
		if v.is("Exit") {
			at = at.parent.frame
		}
		for _, l := range v.out {
			n := l.dst
			if n == f.sink {
				continue
			}
			first, visited := seen[n]
			if visited {
				now := n.frame.name
				if n.is("Enter") {
					now = n.frame.parent.frame.name
				}
				if now != at.name {
					return tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "it has inputs from different frames: %s is in frame %q, %s in frame %q",
						f.label(v), at.name, f.label(first), now), n.node.Name, n.node.Op)
				}
				continue
			}
			seen[n] = v
			ready = append(ready, n)
			n.frame = at
			if n.is("Enter") {
				n.frame = frame{n, at.enter, n.node.Str("frame_name")}
				if n.frame.name == "" {
					return tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "an Enter must have a frame name"), n.node.Name, n.node.Op)
				}
			}
		}
	}
	return f.checkFrames()
}

func (f *flat) label(v *vertex) string {
	if v == f.source {
		return "the source"
	}
	return "node " + v.node.Name
}

// checkFrames checks that each frame has one parent frame and at most one LoopCond. One kind of
// LoopCond is exempt: loops that count iterations for gradients use the frame of another loop, and
// their conditions have LoopCounter in their names.
func (f *flat) checkFrames() error {
	parents := map[string]string{}
	conds := map[string]*vertex{}
	for _, v := range f.vertices {
		if v.frame.enter == nil {
			continue // unreachable from the source
		}
		fail := func(code tensor.Code, format string, args ...any) error {
			return tensor.AtNode(tensor.Errorf(code, format, args...), v.node.Name, v.node.Op)
		}
		name, parent := v.frame.name, v.frame.parent.frame.name
		if p, ok := parents[name]; ok && p != parent {
			return fail(tensor.Internal, "Invalid loop structure: Mismatched parent frames for %q: %q vs %q", name, parent, p)
		}
		parents[name] = parent
		if v.node.Op != "LoopCond" {
			continue
		}
		if c := conds[name]; c != nil && !strings.Contains(c.node.Name, "LoopCounter") && !strings.Contains(v.node.Name, "LoopCounter") {
			return fail(tensor.InvalidArgument, "Invalid loop structure: Loop %q has more than one LoopCond node: %q and %q", name, v.node.Name, c.node.Name)
		}
		conds[name] = v
	}
	return nil
}

// outputFrame returns a vertex whose frame is the frame of v's outputs.
func (v *vertex) outputFrame() *vertex {
	if v.is("Exit") {
		return v.frame.parent
	}
	return v
}

// inputFrame returns a vertex whose frame is the frame of v's inputs.
func (v *vertex) inputFrame() *vertex {
	if v.is("Enter") {
		return v.frame.parent
	}
	return v
}
