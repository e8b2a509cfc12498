package state

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/queue"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// tupleRanks is the text that documents the limits of ops that take tuples out of resources.
const tupleRanks = "ranks are taken from attribute shapes, or from the tensors that the graph puts in"

// queueDefs are queues of tuples of tensors. In TensorFlow 1, the handle of a queue is a reference to
// strings; here it is a resource. A run that waits for a queue fails when the run's context is done;
// the error is Cancelled or DeadlineExceeded.
var queueDefs = []*lower.Def{
	{Name: "FIFOQueue", Level: lower.Source, Flags: lower.Kept | kit.Looks, Shape: HandleShape, Lower: queueLower},
	{Name: "FIFOQueueV2", Level: lower.Source, Flags: lower.Kept | kit.Looks, Shape: HandleShape, Lower: queueLower},
	{Name: "PaddingFIFOQueue", Level: lower.Source, Flags: lower.Kept | kit.Looks, Shape: HandleShape, Lower: queueLower},
	{Name: "PaddingFIFOQueueV2", Level: lower.Source, Flags: lower.Kept | kit.Looks, Shape: HandleShape, Lower: queueLower},
	{Name: "RandomShuffleQueue", Level: lower.Source, Flags: lower.Kept | kit.Looks, Shape: HandleShape, Lower: queueLower},
	{Name: "RandomShuffleQueueV2", Level: lower.Source, Flags: lower.Kept | kit.Looks, Shape: HandleShape, Lower: queueLower},
	{Name: "PriorityQueue", Level: lower.Source, Flags: lower.Kept | kit.Looks, Shape: HandleShape, Lower: queueLower},
	{Name: "PriorityQueueV2", Level: lower.Source, Flags: lower.Kept | kit.Looks, Shape: HandleShape, Lower: queueLower},
	{Name: "QueueEnqueue", Flags: kit.Changes, Shape: WithoutOutputs, Lower: enqueueLower},
	{Name: "QueueEnqueueV2", Flags: kit.Changes, Shape: WithoutOutputs, Lower: enqueueLower},
	{Name: "QueueEnqueueMany", Flags: kit.Changes, Shape: enqueueManyShape, Lower: enqueueLower},
	{Name: "QueueEnqueueManyV2", Flags: kit.Changes, Shape: enqueueManyShape, Lower: enqueueLower},
	{Name: "QueueDequeue", Flags: kit.Changes, Shape: dequeueShape, Lower: dequeueLower, Limits: tupleRanks},
	{Name: "QueueDequeueV2", Flags: kit.Changes, Shape: dequeueShape, Lower: dequeueLower, Limits: tupleRanks},
	{Name: "QueueDequeueMany", Flags: kit.Changes, Shape: dequeueShape, Lower: dequeueLower, Limits: tupleRanks},
	{Name: "QueueDequeueManyV2", Flags: kit.Changes, Shape: dequeueShape, Lower: dequeueLower, Limits: tupleRanks},
	{Name: "QueueDequeueUpTo", Flags: kit.Changes, Shape: dequeueShape, Lower: dequeueLower, Limits: tupleRanks},
	{Name: "QueueDequeueUpToV2", Flags: kit.Changes, Shape: dequeueShape, Lower: dequeueLower, Limits: tupleRanks},
	{Name: "QueueClose", Flags: kit.Changes, Shape: WithoutOutputs, Lower: closeLower},
	{Name: "QueueCloseV2", Flags: kit.Changes, Shape: WithoutOutputs, Lower: closeLower},
	{Name: "QueueSize", Level: lower.Reads, Flags: kit.Looks, Shape: ScalarShape(tensor.Int32), Lower: queueSizeLower},
	{Name: "QueueSizeV2", Level: lower.Reads, Flags: kit.Looks, Shape: ScalarShape(tensor.Int32), Lower: queueSizeLower},
	{Name: "QueueIsClosed", Level: lower.Reads, Flags: kit.Looks, Shape: ScalarShape(tensor.Bool), Lower: isClosedLower},
	{Name: "QueueIsClosedV2", Level: lower.Reads, Flags: kit.Looks, Shape: ScalarShape(tensor.Bool), Lower: isClosedLower},
}

// queueKind returns the kind of queue that a node creates.
func queueKind(n *ir.Node) (kind resource.QueueKind, ok bool) {
	switch n.Op {
	case "FIFOQueue", "FIFOQueueV2":
		return resource.FIFO, true
	case "PaddingFIFOQueue", "PaddingFIFOQueueV2":
		return resource.Padding, true
	case "RandomShuffleQueue", "RandomShuffleQueueV2":
		return resource.Shuffle, true
	case "PriorityQueue", "PriorityQueueV2":
		return resource.Priority, true
	}
	return 0, false
}

// containerSpec returns the types and the shapes of the elements of the resource that a node
// creates. Both are attributes of the node; the shapes are nil if their attribute is absent. The
// first component of a priority queue is not in the attributes, so containerSpec prepends it.
func containerSpec(n *ir.Node) (types []tensor.DType, shapes []ir.PartialShape) {
	types = n.DTypes("component_types")
	shapes, _ = n.Attrs["shapes"].([]ir.PartialShape)
	kind, ok := queueKind(n)
	if ok && kind != resource.Padding && slices.ContainsFunc(shapes, func(s ir.PartialShape) bool { return s.UnknownRank }) {
		shapes = slices.Clone(shapes)
		for i, s := range shapes {
			if s.UnknownRank { // TensorFlow accepts an unknown rank here and treats it as a scalar
				shapes[i] = ir.PartialShape{}
			}
		}
	}
	if ok && kind == resource.Priority {
		types = append([]tensor.DType{tensor.Int64}, types...)
		if len(shapes) > 0 || len(types) == 1 {
			shapes = append([]ir.PartialShape{{}}, shapes...)
		}
	}
	return types, shapes
}

// flatSpec returns types and shapes as integers, in the form in which the run time reads them: the
// types, the ranks (-1 if unknown), and the dimensions of all shapes one after the other.
func flatSpec(types []tensor.DType, shapes []ir.PartialShape) (ts, ranks, dims []int) {
	ts, ranks, dims = []int{}, []int{}, []int{}
	for _, t := range types {
		ts = append(ts, int(t))
	}
	for _, s := range shapes {
		r := len(s.Dims)
		if s.UnknownRank {
			r = -1
		}
		ranks = append(ranks, r)
		for _, d := range s.Dims {
			dims = append(dims, int(d))
		}
	}
	return ts, ranks, dims
}

// queueLower creates a queue that the model keeps.
func queueLower(b *lower.Builder) error {
	n := b.Node
	kind, _ := queueKind(n)
	p := resource.QueueParams{Name: ResourceName(n), Kind: kind, Capacity: n.Int("capacity")}
	if _, ok := n.Attrs["capacity"]; !ok {
		p.Capacity = -1
	}
	if kind == resource.Shuffle {
		p.MinAfter, p.Seed, p.Seed2 = n.Int("min_after_dequeue"), int64(n.Int("seed")), int64(n.Int("seed2"))
	}
	types, shapes := containerSpec(n)
	for i, s := range shapes {
		for _, d := range s.Dims {
			if d < 0 && kind != resource.Padding {
				return b.Errorf(tensor.InvalidArgument, "the shape of component %d must be fully defined", i)
			}
		}
	}
	ts, ranks, dims := flatSpec(types, shapes)
	if _, err := resource.NewQueue(p, ts, ranks, dims); err != nil {
		return err
	}
	b.Object(0, kit.ResourceKey(n, "queue", false), resource.NewQueue, p, ts, ranks, dims)
	return nil
}

// timeout rejects the attribute timeout_ms, as TensorFlow does.
func timeout(b *lower.Builder) error {
	if _, ok := b.Node.Attrs["timeout_ms"]; ok && b.Node.Int("timeout_ms") != -1 {
		return b.Errorf(tensor.InvalidArgument, "Timeout not supported yet.")
	}
	return nil
}

// enqueueManyShape is the shape function of QueueEnqueueMany, which has no outputs. All components
// must have the same number of rows.
func enqueueManyShape(c *lower.Shaper) error {
	var n *sym.Expr
	for i := 1; i < c.NumIn(); i++ {
		s := c.Shape(i)
		switch {
		case !s.Known:
		case len(s.Dims) == 0:
			return tensor.Errorf(tensor.InvalidArgument, "component %d is a scalar, but must have rows", i-1)
		case n == nil:
			n = s.Dims[0]
		default:
			if _, err := kit.JoinDim(n, s.Dims[0], "the rows of the components"); err != nil {
				return err
			}
		}
	}
	return nil
}

func enqueueLower(b *lower.Builder) error {
	if err := timeout(b); err != nil {
		return err
	}
	many := b.Node.Op == "QueueEnqueueMany" || b.Node.Op == "QueueEnqueueManyV2"
	parts, err := Boxes(b, 1, b.NumIn(), many)
	if err != nil {
		return err
	}
	if many {
		b.Call(queue.EnqueueMany, plan.Context{}, b.In(0), parts)
	} else {
		b.Call(queue.Enqueue, plan.Context{}, b.In(0), parts)
	}
	return nil
}

// queueElements returns the types and shapes of the components that a node takes from the queue in
// input 0. The shapes are in the attributes of the node that made the queue or, if they are absent,
// they are the shapes that NoteElements has found.
func queueElements(n *ir.Node) []Element {
	types := n.DTypes("component_types")
	out := Noted(n, types)
	if q := kit.HandleMaker(n.Ins[0]); q != nil {
		if _, shapes := containerSpec(q); len(shapes) == len(types) {
			for i, s := range shapes {
				out[i] = elementOf(types[i], s)
			}
		}
	}
	return out
}

// dequeueShape infers the shapes of the outputs of QueueDequeue, QueueDequeueMany and
// QueueDequeueUpTo, which are the components of an element. The last two ops return several
// elements; the first dimension of each output is their number.
func dequeueShape(c *lower.Shaper) error {
	var lead []*sym.Expr
	switch c.Node.Op {
	case "QueueDequeueMany", "QueueDequeueManyV2":
		n, ok, err := kit.OneElement(c, 1, "n")
		if err != nil {
			return err
		}
		if !ok {
			n = c.NewSize(0)
		} else if v, isConst := n.IsInt(); isConst && v < 0 {
			return tensor.Errorf(tensor.InvalidArgument, "Input 'n' must be >= 0, but is %d", v)
		}
		lead = append(lead, n)
	case "QueueDequeueUpTo", "QueueDequeueUpToV2":
		if _, _, err := kit.OneElement(c, 1, "n"); err != nil {
			return err
		}
		lead = append(lead, c.NewSize(0))
	}
	for i, e := range queueElements(c.Node) {
		ElementShape(c, i, e, lead...)
	}
	return nil
}

func dequeueLower(b *lower.Builder) error {
	if err := timeout(b); err != nil {
		return err
	}
	es := queueElements(b.Node)
	parts := b.Temp(tensor.Variant, sym.Int(len(es)))
	lead := 0
	if b.NumIn() < 2 {
		b.Call(queue.Dequeue, plan.Context{}, kit.Writes(parts), b.In(0))
	} else {
		lead = 1
		n, ok := b.Ints(1)
		if !ok || len(n) != 1 {
			return b.Errorf(tensor.InvalidArgument, "n must be a scalar")
		}
		if err := kit.AtLeast(b, n[0], 0, "n"); err != nil {
			return err
		}
		upTo := b.Node.Op == "QueueDequeueUpTo" || b.Node.Op == "QueueDequeueUpToV2"
		b.Call(queue.DequeueMany, plan.Context{}, kit.Writes(parts), b.In(0), n[0], upTo)
	}
	parts.Mode = plan.Read
	if lead == 1 && len(es) > 0 {
		if v, ok := b.NewSize(0).IsVar(); ok && usesSize(b.OutShape(0), v) {
			b.CallSizes(queue.Dim, []*sym.Expr{b.NewSize(0)}, parts.At(sym.Zero, sym.One), 0, 1+len(es[0].Dims))
		}
	}
	return UnboxAll(b, parts, es, lead)
}

// usesSize reports whether dims mention the size named v.
func usesSize(dims []*sym.Expr, v string) bool {
	set := map[string]bool{}
	for _, d := range dims {
		d.Vars(set)
	}
	return set[v]
}

func closeLower(b *lower.Builder) error {
	b.Call(queue.Close, plan.Context{}, b.In(0), b.Node.Bool("cancel_pending_enqueues"))
	return nil
}

func queueSizeLower(b *lower.Builder) error {
	b.Call(queue.Size, b.Out(0), b.In(0))
	return nil
}

func isClosedLower(b *lower.Builder) error {
	b.Call(queue.IsClosed, b.Out(0), b.In(0))
	return nil
}
