package partition

import (
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// pairKey identifies a pair of a send and a receive that several edges can use. These edges have
// the same output of the same node as their source, and their targets are in the same partition and
// read from the same kind of memory. For a control edge, the field out is -1.
type pairKey struct {
	src  *vertex
	out  int
	dst  *part
	host bool
}

// pair describes a transfer of a value by a send and a receive. It has only the data of the receiving
// side.
type pair struct {
	last  *placed // the node from which readers get the value: the receive, or a Cast or Identity after it
	recv  *placed
	start int64 // the smallest start time of the nodes that read the value
}

// inputs holds the data inputs and control inputs of a vertex. There may also be control edges from
// the Merge of a control loop. When an input of the vertex is received from another partition, one
// of these edges becomes a control input of the receive; the vertex itself then need not wait for
// the Merge.
type inputs struct {
	links []*link // the edges of the data inputs in their order, then those of the control inputs
	merge *vertex
	left  int // the number of edges from merge that no receive has taken over yet
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

// divide adds the inputs of v to the copy of v in its partition. For each edge from another
// partition or another memory, it adds a send and a receive.
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
	// A receive of a reference waits for all other inputs of v. The reason is that v reads the
	// variable when v runs, and earlier nodes may write to the variable.
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
			p.recv.wait(send) // within one device, the value must exist before the receive begins
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

// read adds an output of another node to the data inputs of p. The node is given by the parameter
// from, and the number of the output by the parameter out. If this number is -1, read adds the node
// to the control inputs of p instead.
func (p *placed) read(from *placed, out int) {
	if out < 0 {
		p.wait(from)
		return
	}
	p.ins = append(p.ins, placedOut{from, out})
}

// changesMemory reports whether a data edge needs a send and a receive although both of its nodes
// are on the same device. This is so if the device is not a CPU, and one node has the tensor in
// host memory and the other in device memory.
func (s *splitter) changesMemory(l *link) bool {
	if l.control() || l.src.device != l.dst.device || kind(l.src.device) == "CPU" {
		return false
	}
	return s.writtenOnHost(l) != s.inHost(l)
}

// writtenOnHost reports whether the source of an edge writes the tensor to host memory.
func (s *splitter) writtenOnHost(l *link) bool {
	return !l.control() && nth(s.memory[l.src][1], l.out)
}

// inHost reports whether an edge's input is in host memory.
func (s *splitter) inHost(l *link) bool { return !l.control() && nth(s.memory[l.dst][0], l.in) }

// readOnHost reports whether the tensor of an edge must be received in host memory. A CPU has no
// other memory.
func (s *splitter) readOnHost(l *link) bool {
	return kind(l.dst.device) == "CPU" || s.inHost(l)
}

func nth(l []bool, i int) bool { return i < len(l) && l[i] }

// transfer adds the nodes that transfer the value of an edge to another partition: a send and a
// receive, and if necessary casts or, for a control edge, a constant and an Identity.
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

// made completes n, a new node that Split adds for a vertex, and returns it. The origin of n is
// that of the vertex. If n has no device yet, its device is that of the vertex, too.
func (s *splitter) made(n *ir.Node, from *vertex) *ir.Node {
	if n.Device == "" {
		n.Device = from.device
	}
	n.Origin.Names = from.node.Origin.Names
	return n
}

// cast returns a new node that converts a tensor from type src to type dst. A cast to bfloat16
// truncates the mantissa, because TensorFlow also truncates when it sends tensors as bfloat16.
func (s *splitter) cast(from *vertex, device string, src, dst tensor.DType, host bool) *ir.Node {
	op := "Cast"
	if host {
		op = "_HostCast"
	}
	return s.made(&ir.Node{Name: s.names.make(from.node.Name), Op: op, Device: device, Outs: []ir.Fact{{DType: dst}},
		Attrs: map[string]ir.Attr{"SrcT": src, "DstT": dst, "Truncate": dst == tensor.BFloat16}}, from)
}

// end returns a new node for one of the two ends of the edge l: a send or a receive, according to
// the parameter op.
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
