package partition

import (
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// pairKey identifies transfers that share a pair: transfers of the same output of the same node to
// the same partition and the same memory. A control edge has output -1.
type pairKey struct {
	src  *vertex
	out  int
	dst  *part
	host bool
}

// pair describes the receiving side of a transfer.
type pair struct {
	last  *placed // the node that the readers read: the receive, or the Cast or Identity after it
	recv  *placed
	start int64 // the smallest start time of the readers
}

// inputs are a vertex's data and control inputs. The edges from the Merge of a control loop are
// passed to receives, which then wait for the Merge in place of the vertex.
type inputs struct {
	links []*link // data inputs by number, then control inputs
	merge *vertex
	left  int // edges from the merge not yet passed to a receive
}

func (f *flat) inputsOf(v *vertex) (inputs, error) {
	var in inputs
	var controls []*link
	for _, l := range v.in {
		switch {
		case !l.control():
			for len(in.links) <= l.in {
				in.links = append(in.links, nil)
			}
			in.links[l.in] = l
		case l.src.is("Merge") && strings.HasPrefix(l.src.node.Name, loopPrefix):
			in.merge = l.src
			in.left++
		case f.inner(l):
			controls = append(controls, l)
		}
	}
	for i, l := range in.links {
		if l == nil {
			return in, tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "Incomplete graph, missing input %d", i), v.node.Name, v.node.Op)
		}
	}
	in.links = append(in.links, controls...)
	return in, nil
}

// divide connects a node to its inputs in its partition.
func (s *splitter) divide(v *vertex) error {
	dst := s.stand[v]
	in, err := s.w.inputsOf(v)
	if err != nil {
		return err
	}
	if s.o.StartTimes != nil {
		t, err := s.startTime(v)
		if err != nil {
			return err
		}
		dst.node.Attrs[startAttr] = t
	}
	// Receives of references wait for all other inputs: v reads the variable when it runs, and
	// earlier nodes may write it.
	var refs, others []*placed
	for _, l := range in.links {
		src := s.stand[l.src]
		if src.at == dst.at && !s.changesMemory(l) {
			dst.read(src, l.out)
			if !l.src.ref(l.out) {
				others = append(others, src)
			}
			continue
		}
		var sendTime, recvTime int64
		if s.o.ScheduleRecvs {
			if sendTime, err = s.startTime(l.src); err != nil {
				return err
			}
			if recvTime, err = s.startTime(v); err != nil {
				return err
			}
		}
		key := pairKey{l.src, l.out, dst.at, s.readOnHost(l)}
		if p := s.shared[key]; p != nil {
			dst.read(p.last, min(l.out, 0))
			others = append(others, p.last)
			p.start = min(p.start, recvTime)
			continue
		}
		p, send := s.transfer(l, sendTime)
		p.start = recvTime
		if src.at == dst.at {
			p.recv.wait(send) // the receive must not begin before the value exists
		} else if in.merge != nil {
			in.left--
			p.recv.wait(s.stand[in.merge])
		}
		if l.src.ref(l.out) {
			s.start(p)
			refs = append(refs, p.recv)
		} else {
			s.shared[key] = p
			s.pairs = append(s.pairs, p)
			others = append(others, p.last)
		}
		dst.read(p.last, min(l.out, 0))
	}
	for _, r := range refs {
		for _, o := range others {
			r.wait(o)
		}
	}
	if in.left > 0 {
		dst.wait(s.stand[in.merge])
	}
	return nil
}

// read adds an input; it is a control input if out is -1.
func (p *placed) read(from *placed, out int) {
	if out < 0 {
		p.wait(from)
		return
	}
	p.ins = append(p.ins, placedOut{from, out})
}

// changesMemory reports whether a data edge between nodes on one device, not a CPU, has its output
// and its input in different memories. Such an edge needs a pair on that device.
func (s *splitter) changesMemory(l *link) bool {
	if l.control() || l.src.device != l.dst.device || kind(l.src.device) == "CPU" {
		return false
	}
	return s.writtenOnHost(l) != s.inHost(l)
}

// writtenOnHost reports whether an edge's output is in host memory.
func (s *splitter) writtenOnHost(l *link) bool {
	return !l.control() && nth(s.memory[l.src][1], l.out)
}

// inHost reports whether an edge's input is in host memory.
func (s *splitter) inHost(l *link) bool { return !l.control() && nth(s.memory[l.dst][0], l.in) }

// readOnHost reports whether an edge is received in host memory. On a CPU, which has only one kind
// of memory, this is always true.
func (s *splitter) readOnHost(l *link) bool {
	return kind(l.dst.device) == "CPU" || s.inHost(l)
}

func nth(l []bool, i int) bool { return i < len(l) && l[i] }

// transfer adds the nodes that move an edge's value to another partition.
func (s *splitter) transfer(l *link, sendTime int64) (p *pair, send *placed) {
	src, dst := s.stand[l.src], s.stand[l.dst]
	from, t := placedOut{src, l.out}, tensor.Float32
	if l.control() {
		c := src.at.add(s.made(emptyConst(s.names.make(l.src.node.Name+"/ctrl")), l.src))
		if s.o.ScheduleRecvs {
			c.node.Attrs[startAttr] = sendTime
		}
		c.wait(src)
		from = placedOut{c, 0}
	} else {
		t = src.node.Outs[l.out].DType
	}
	sent := t
	if s.o.ShouldCast != nil && !l.control() && !s.changesMemory(l) {
		sent = s.o.ShouldCast(ir.Out{Node: l.src.node, Index: l.out}, l.dst.node, t)
	}
	host := s.writtenOnHost(l)
	if sent != t {
		c := src.at.add(s.cast(l.src, l.src.device, t, sent, host))
		c.ins = []placedOut{from}
		if s.o.ScheduleRecvs {
			c.node.Attrs[startAttr] = sendTime
		}
		from = placedOut{c, 0}
	}
	send = src.at.add(s.end(l, hostOp("Send", host), l.src.device, "T", sent))
	send.ins = []placedOut{from}
	if s.o.ScheduleRecvs {
		send.node.Attrs[startAttr] = sendTime
	}
	host = s.inHost(l)
	recv := dst.at.add(s.end(l, hostOp("Recv", host), l.dst.device, "tensor_type", sent))
	recv.node.Outs = []ir.Fact{{DType: sent}}
	p = &pair{last: recv, recv: recv}
	switch {
	case sent != t:
		p.last = dst.at.add(s.cast(l.src, l.dst.device, sent, t, host))
	case l.control():
		p.last = dst.at.add(s.made(&ir.Node{Name: s.names.make(l.src.node.Name), Op: "Identity", Device: l.dst.device,
			Attrs: map[string]ir.Attr{"T": t}, Outs: []ir.Fact{{DType: t}}}, l.src))
	}
	if p.last != recv {
		p.last.ins = []placedOut{{recv, 0}}
	}
	return p, send
}

func hostOp(op string, host bool) string {
	if host {
		return "_Host" + op
	}
	return "_" + op
}

// made sets the origin of n and, if n has no device yet, its device; both are copied from the
// vertex. It returns n.
func (s *splitter) made(n *ir.Node, from *vertex) *ir.Node {
	if n.Device == "" {
		n.Device = from.device
	}
	n.Origin.Names = from.node.Origin.Names
	return n
}

// cast builds a node that changes a tensor's type. A cast to bfloat16 truncates, as TensorFlow has
// always done when sending.
func (s *splitter) cast(from *vertex, device string, src, dst tensor.DType, host bool) *ir.Node {
	op := "Cast"
	if host {
		op = "_HostCast"
	}
	return s.made(&ir.Node{Name: s.names.make(from.node.Name), Op: op, Device: device, Outs: []ir.Fact{{DType: dst}},
		Attrs: map[string]ir.Attr{"SrcT": src, "DstT": dst, "Truncate": dst == tensor.BFloat16}}, from)
}

// end builds one node of a pair: the send or the receive.
func (s *splitter) end(l *link, op, device, typeAttr string, t tensor.DType) *ir.Node {
	var incarnation uint64
	if s.o.Incarnation != nil {
		incarnation = s.o.Incarnation(l.src.device)
	}
	return s.made(&ir.Node{Name: s.names.make(l.src.node.Name), Op: op, Device: device, Attrs: map[string]ir.Attr{
		typeAttr:                  t,
		"tensor_name":             tensorName(l),
		"send_device":             l.src.device,
		"recv_device":             l.dst.device,
		"send_device_incarnation": int64(incarnation),
		"client_terminated":       false,
		"_src":                    l.src.node.Name,
		"_dst":                    l.dst.node.Name,
	}}, l.src)
}
