package codegen

import "github.com/dave/jennifer/jen"

// runBatch returns the code that runs a variant with a batch (see plan.Plan.Batch) after its sizes
// have been read into the variable dims. The run computes the batch in micro-batches. The parameter
// fetch has the code that copies the fetched tensors of the micro-batch b, and locals declares the
// variables for it.
func (e *emitter) runBatch(s *signature, locals, fetch []jen.Code) []jen.Code {
	pool := func() *jen.Statement { return jen.Id("m").Dot(s.prefix + "Pool") }
	size := func() *jen.Statement { return jen.Id("dims").Dot(s.field(s.plan.Batch)) }
	body := []jen.Code{
		jen.Id("all").Op(":=").Add(size()),
		size().Op("=").Lit(1),
		size().Op("=").Add(pool()).Dot("MicroBatch").Call(jen.Id("dims"), jen.Id("all")),
		jen.List(jen.Id("s"), jen.Err()).Op(":=").Add(pool()).Dot("Get").Call(jen.Id("ctx"), jen.Id("dims")),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())),
		jen.Defer().Add(pool()).Dot("Put").Call(jen.Id("s"), jen.Op("&").Err()),
	}
	body = append(body, locals...)
	var loop []jen.Code
	if s.readsFeeds() {
		body = append(body, jen.Id("s").Dot("In").Op("=").Op("*").Id("in"))
		for i, f := range s.plan.Feeds {
			if f.Buf != nil && s.plan.InBatch(f.Shape) {
				loop = append(loop, jen.Id("s").Dot("In").Dot(s.feeds[i]).Op("=").Add(e.rt("FeedMicroBatch")).Call(jen.Id("in").Dot(s.feeds[i]), jen.Id("b")))
			}
		}
	}
	if len(s.plan.Steps) > 0 {
		loop = append(loop, jen.If(jen.Err().Op("=").Id(s.prefix+"Run").Call(jen.Id("s")), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())))
	}
	loop = append(append(loop, fetch...), jen.If(jen.Id("b").Dot("Last").Call()).Block(jen.Return(jen.Nil())))
	return append(body, jen.For(
		jen.Id("b").Op(":=").Id("s").Dot("FirstMicroBatch").Call(size(), jen.Id("all")), jen.Empty(), jen.Id("b").Op("=").Id("b").Dot("Next").Call(),
	).Block(loop...))
}
