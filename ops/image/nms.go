package image

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/nms"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var nmsTypes = map[string][]tensor.DType{"T": {tensor.Float32, tensor.Half}}

var nmsDefs = []*lower.Def{
	{Name: "NonMaxSuppression", Shape: nmsShape, Lower: nmsLower},
	{Name: "NonMaxSuppressionV2", Types: nmsTypes, Shape: nmsShape, Lower: nmsLower},
	{Name: "NonMaxSuppressionV3", Types: nmsTypes, Shape: nmsShape, Lower: nmsLower},
	{Name: "NonMaxSuppressionV4", Types: nmsTypes, Shape: nmsShape, Lower: nmsLower},
	{Name: "NonMaxSuppressionV5", Types: nmsTypes, Shape: nmsShape, Lower: nmsLower},
	{Name: "NonMaxSuppressionWithOverlaps", Shape: nmsShape, Lower: nmsLower},
	{Name: "CombinedNonMaxSuppression", Shape: combinedShape, Lower: combinedLower},
}

// nmsShape infers the results of the NonMaxSuppression ops. Output 0 holds the indices of the
// selected boxes. V5 also has their scores, and V4 and V5 also have their number. If the attribute
// pad_to_max_output_size is set, there are always max_output_size indices.
func nmsShape(c *lower.Shaper) error {
	overlaps := c.Node.Op == "NonMaxSuppressionWithOverlaps"
	boxes, err := c.WithRank(0, 2)
	if err != nil {
		return err
	}
	scores, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	for i := 2; i < c.NumIn(); i++ {
		if _, err := c.WithRank(i, 0); err != nil {
			return err
		}
	}
	if boxes.Known && !overlaps && lower.Differ(boxes.Dims[1], sym.Int(4)) {
		return tensor.Errorf(tensor.InvalidArgument, "boxes have the shape %v; 4 columns are required", boxes)
	}
	if boxes.Known && scores.Known && lower.Differ(boxes.Dims[0], scores.Dims[0]) {
		return tensor.Errorf(tensor.InvalidArgument, "scores have the shape %v, boxes %v", scores, boxes)
	}
	most, ok := c.Ints(2)
	if !ok {
		for i := range c.Node.Outs {
			c.Set(i, c.Node.Outs[i].DType, ir.Shape{})
		}
		return nil
	}
	n := c.NewSize(0)
	if c.Node.Bool("pad_to_max_output_size") {
		n = most[0]
	}
	c.Set(0, tensor.Int32, ir.ShapeOf(n))
	switch c.Node.Op {
	case "NonMaxSuppressionV4":
		c.Set(1, tensor.Int32, ir.ShapeOf())
	case "NonMaxSuppressionV5":
		c.Set(1, c.In(1).DType, ir.ShapeOf(n))
		c.Set(2, tensor.Int32, ir.ShapeOf())
	}
	return nil
}

func nmsLower(b *lower.Builder) error {
	p := nms.Params{IOU: b.Node.Float("iou_threshold"), Overlaps: b.Node.Op == "NonMaxSuppressionWithOverlaps", Pad: b.Node.Bool("pad_to_max_output_size")}
	boxes := b.InShape(0)
	n := boxes[0]
	cols := sym.Int(4)
	if p.Overlaps {
		cols = n
	}
	if err := kit.RequireSame(b, boxes[1], cols, "the columns of boxes"); err != nil {
		return err
	}
	if err := kit.RequireSame(b, b.InShape(1)[0], n, "boxes and scores must have the same length"); err != nil {
		return err
	}
	es, ok := b.Ints(2)
	if !ok {
		return b.Errorf(tensor.Unimplemented, "the type of max_output_size is not int32")
	}
	most := es[0]
	if err := kit.AtLeast(b, most, 0, "max_output_size"); err != nil {
		return err
	}
	// in holds the inputs boxes, scores, iou_threshold, score_threshold and soft_nms_sigma,
	// converted to f32.
	var in [5]*plan.View
	for i := range in {
		at := i
		if i > 1 {
			at++
		}
		if at < b.NumIn() {
			v, err := kit.InF32(b, at)
			if err != nil {
				return err
			}
			in[i] = &v
		}
	}
	q := plan.Lit(p, "Boxes", n, "Max", most, "Limit", in[2], "Least", in[3], "Sigma", in[4])
	room := sym.Min(sym.Max(most, sym.Zero), n)
	if p.Pad {
		room = most
	}
	sel := b.OutCap(0, room)
	done := func() error { return nil }
	switch b.Node.Op {
	case "NonMaxSuppressionV4":
		q = q.With("Valid", b.Out(1))
	case "NonMaxSuppressionV5":
		q = q.With("Valid", b.Out(2))
		if b.OutFact(1).DType == tensor.Float32 {
			q = q.With("Chosen", b.OutCap(1, room))
		} else {
			t := b.Temp(tensor.Float32, room)
			q = q.With("Chosen", t)
			done = func() error {
				fn, err := kit.KernelFor(b, b.OutFact(1).DType, kit.NarrowKernels...)
				if err != nil {
					return err
				}
				b.Call(fn, b.Out(1), t.At(sym.Zero, b.OutLen(1)))
				return nil
			}
		}
	}
	size := b.NewSizeK(0, 1)
	if !p.Pad {
		size = b.NewSize(0)
	}
	if b.Node.Op == "NonMaxSuppressionV5" || p.Overlaps { // scores may decay
		q = q.With("HeapScore", b.Temp(tensor.Float32, n), "HeapBox", b.Temp(tensor.Int32, n), "HeapBegin", b.Temp(tensor.Int32, n))
	} else {
		q = q.With("Keys", b.Temp(tensor.Uint64, n))
	}
	b.CallSizes(nms.Select, []*sym.Expr{size}, sel, *in[0], *in[1], q)
	return done()
}

// combinedSizes returns the number of rows of the outputs, which follows from
// max_output_size_per_class and max_total_size.
func combinedSizes(n *ir.Node, per, total, classes *sym.Expr) *sym.Expr {
	if n.Bool("pad_per_class") {
		return sym.Min(total, per.Mul(classes))
	}
	return total
}

func combinedShape(c *lower.Shaper) error {
	boxes, err := c.WithRank(0, 4)
	if err != nil {
		return err
	}
	scores, err := c.WithRank(1, 3)
	if err != nil {
		return err
	}
	for i := 2; i < 6; i++ {
		if _, err := c.WithRank(i, 0); err != nil {
			return err
		}
	}
	per, ok := c.Ints(2)
	total, ok2 := c.Ints(3)
	if !boxes.Known || !scores.Known || !ok || !ok2 {
		for i := range 4 {
			c.Set(i, c.Node.Outs[i].DType, ir.Shape{})
		}
		return nil
	}
	if lower.Differ(boxes.Dims[3], sym.Int(4)) {
		return tensor.Errorf(tensor.InvalidArgument, "boxes have the shape %v; 4 columns are required", boxes)
	}
	if lower.Differ(boxes.Dims[0], scores.Dims[0]) || lower.Differ(boxes.Dims[1], scores.Dims[1]) {
		return tensor.Errorf(tensor.InvalidArgument, "boxes have the shape %v, scores %v", boxes, scores)
	}
	if q := boxes.Dims[2]; !q.Is(1) && lower.Differ(q, scores.Dims[2]) {
		return tensor.Errorf(tensor.InvalidArgument, "boxes have the shape %v, scores %v", boxes, scores)
	}
	if kit.KnownLess(total[0], 1) || kit.KnownLess(per[0], 1) {
		return tensor.Errorf(tensor.InvalidArgument, "max_output_size_per_class and max_total_size must be positive: %v and %v", per[0], total[0])
	}
	n := combinedSizes(c.Node, per[0], total[0], scores.Dims[2])
	c.Set(0, tensor.Float32, ir.ShapeOf(boxes.Dims[0], n, sym.Int(4)))
	c.Set(1, tensor.Float32, ir.ShapeOf(boxes.Dims[0], n))
	c.Set(2, tensor.Float32, ir.ShapeOf(boxes.Dims[0], n))
	c.Set(3, tensor.Int32, ir.ShapeOf(boxes.Dims[0]))
	return nil
}

func combinedLower(b *lower.Builder) error {
	boxes, scores := b.InShape(0), b.InShape(1)
	per, ok := b.Ints(2)
	total, ok2 := b.Ints(3)
	if !ok || !ok2 {
		return b.Errorf(tensor.Unimplemented, "the sizes are not int32")
	}
	for _, e := range []*sym.Expr{per[0], total[0]} {
		if err := kit.AtLeast(b, e, 1, "max_output_size_per_class and max_total_size"); err != nil {
			return err
		}
	}
	classes := scores[2]
	for i := range 2 {
		if err := kit.RequireSame(b, boxes[i], scores[i], "boxes and scores must agree"); err != nil {
			return err
		}
	}
	if err := kit.OneOr(b, boxes[2], classes, "boxes must be the same for all classes, or separate for each class"); err != nil {
		return err
	}
	q := plan.Lit(nms.CombinedParams{Clip: b.Node.Bool("clip_boxes")}, "Images", boxes[0], "Boxes", boxes[1], "Classes", classes,
		"Q", boxes[2], "PerClass", per[0], "Total", total[0], "Out", b.OutShape(0)[1])
	most := sym.Min(per[0], boxes[1])
	b.Call(nms.Combined, b.Out(0), b.Out(1), b.Out(2), b.Out(3), b.In(0), b.In(1), b.In(4), b.In(5),
		b.Temp(tensor.Int32, boxes[1]), b.Temp(tensor.Int32, most), b.Temp(tensor.Int32, most.Mul(classes).MulInt(2)), q)
	return nil
}
