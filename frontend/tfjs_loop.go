package frontend

import (
	"sort"
	"strings"

	"github.com/graphc/graphc/frontend/pb"
)

// pinLoopConstants restores control edges that tfjs drops. In a loop of TensorFlow 1, a node runs
// in the frame in which its inputs are computed. A constant has no inputs. Therefore a constant
// that a node of a loop reads needs a control edge from another node of this loop. Without the
// edge, the constant would be outside of the loop's frame. Each loop gets two copies of a constant,
// one for the condition and one for the body, because the condition runs one more time than the
// body.
func pinLoopConstants(def *pb.GraphDef) {
	l := &loops{byName: map[string]*pb.NodeDef{}, frame: map[string]string{}, names: namesOf(def), copies: map[string]string{}}
	for _, n := range def.Node {
		l.byName[n.GetName()] = n
	}
	if !l.findFrames(def.Node) {
		return
	}
	l.findPivots(def.Node)
	nodes := def.Node
	for _, n := range nodes {
		f := l.frame[n.Name]
		if n.Op == "Enter" || n.Op == "RefEnter" {
			f = l.parent[f] // its input's frame
		}
		if f == "" || n.Op == "Const" {
			continue
		}
		for i, in := range n.Input {
			c := l.byName[inputNode(in)]
			if c == nil || c.Op != "Const" || len(c.Input) > 0 {
				continue
			}
			pivot := l.bodyPivot[f]
			if l.inCond[n.Name] || pivot == "" {
				pivot = l.condPivot[f]
			}
			if pivot == "" {
				continue
			}
			key := c.Name + " " + pivot
			if l.copies[key] == "" {
				d := &pb.NodeDef{Name: l.names.name(c.Name + "/in_loop"), Op: "Const", Input: []string{"^" + pivot}, Device: c.Device, Attr: c.Attr}
				l.copies[key] = d.Name
				def.Node = append(def.Node, d)
			}
			n.Input[i] = l.copies[key]
		}
	}
	def.Node = append(def.Node, l.added...)
}

type loops struct {
	byName    map[string]*pb.NodeDef
	frame     map[string]string // node → the frame in which it runs; "" outside of loops
	parent    map[string]string // frame → the frame around it
	condPivot map[string]string // frame → a node that runs as often as the condition
	bodyPivot map[string]string // frame → a node that runs as often as the body
	inCond    map[string]bool   // nodes of the condition's frame on which the condition depends
	names     freshNames
	copies    map[string]string
	added     []*pb.NodeDef
}

// findFrames finds the frame of each node in a loop. It follows the edges from Enter nodes, which
// begin a frame, to Exit nodes, which end it. It reports whether the graph has any frames.
func (l *loops) findFrames(nodes []*pb.NodeDef) bool {
	readers := map[string][]*pb.NodeDef{}
	var queue []*pb.NodeDef
	l.parent = map[string]string{}
	for _, n := range nodes {
		for _, in := range n.Input {
			name := strings.TrimPrefix(in, "^")
			name, _ = tensorName(name)
			readers[name] = append(readers[name], n)
		}
		if n.GetOp() == "Enter" || n.GetOp() == "RefEnter" {
			if f := string(n.Attr["frame_name"].GetS()); f != "" {
				l.frame[n.Name] = f
				queue = append(queue, n)
			}
		}
	}
	if len(queue) == 0 {
		return false
	}
	// A frame's parent becomes known when the search comes from another frame to one of the frame's
	// Enter nodes. Until then, the frame's Exit nodes are in this map.
	waiting := map[string][]*pb.NodeDef{}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		out := l.frame[n.Name]
		if n.Op == "Exit" || n.Op == "RefExit" {
			inner := out
			if out = l.parent[inner]; out == "" {
				waiting[inner] = append(waiting[inner], n)
				continue
			}
		}
		for _, r := range readers[n.Name] {
			if r.Op == "Enter" || r.Op == "RefEnter" {
				if f := l.frame[r.Name]; f != out && l.parent[f] == "" {
					l.parent[f] = out
					queue = append(queue, waiting[f]...)
					waiting[f] = nil
				}
				continue
			}
			if out == "" || l.frame[r.Name] != "" {
				continue
			}
			l.frame[r.Name] = out
			queue = append(queue, r)
		}
	}
	return true
}

// findPivots picks two nodes for each frame. One node is a Merge, because such a node runs as often
// as the loop's condition. The other node is an Identity that reads the true output of a Switch,
// because such a node runs as often as the loop's body. If there is no such Identity, findPivots
// adds one.
func (l *loops) findPivots(nodes []*pb.NodeDef) {
	l.condPivot, l.bodyPivot, l.inCond = map[string]string{}, map[string]string{}, map[string]bool{}
	switches := map[string][]*pb.NodeDef{}
	for _, n := range nodes {
		f := l.frame[n.GetName()]
		if f == "" {
			continue
		}
		switch n.Op {
		case "Merge":
			if l.condPivot[f] == "" {
				l.condPivot[f] = n.Name
			}
		case "LoopCond":
			l.markCond(n.Name, f)
		case "Switch":
			if len(n.Input) >= 2 {
				if c := l.byName[inputNode(n.Input[1])]; c != nil && c.Op == "LoopCond" {
					switches[f] = append(switches[f], n)
				}
			}
		}
	}
	for _, n := range nodes {
		if f := l.frame[n.GetName()]; f != "" && n.Op == "Identity" && len(n.Input) > 0 && l.bodyPivot[f] == "" {
			for _, s := range switches[f] {
				if n.Input[0] == s.Name+":1" {
					l.bodyPivot[f] = n.Name
				}
			}
		}
	}
	frames := make([]string, 0, len(switches))
	for f := range switches {
		frames = append(frames, f)
	}
	sort.Strings(frames)
	for _, f := range frames {
		if l.bodyPivot[f] != "" {
			continue
		}
		s := switches[f][0]
		id := &pb.NodeDef{Name: l.names.name(s.Name + "/pivot"), Op: "Identity", Input: []string{s.Name + ":1"}, Device: s.Device,
			Attr: map[string]*pb.AttrValue{"T": s.Attr["T"]}}
		l.bodyPivot[f] = id.Name
		l.added = append(l.added, id)
	}
}

// markCond adds nodes to inCond: a loop's condition, which is the node with the given name, and the
// nodes on which the condition depends. It stops at the Merge nodes and at the borders of the frame.
func (l *loops) markCond(name, frame string) {
	queue := []string{name}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		n := l.byName[name]
		if n == nil || l.inCond[name] || l.frame[name] != frame || n.Op == "Merge" {
			continue
		}
		l.inCond[name] = true
		for _, in := range n.Input {
			if from := inputNode(in); from != "" {
				queue = append(queue, from)
			}
		}
	}
}
