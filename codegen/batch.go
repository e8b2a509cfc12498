package codegen

import "github.com/dave/jennifer/jen"

// runBatch returns the code that runs a variant with a batch (see plan.Plan.Batch) after its sizes
// have been read into the variable dims. The run computes the batch in micro-batches. The parameter
// fetch has the code that copies the fetched tensors of the micro-batch b, and locals declares the
// variables for it.
func (e *emitter) runBatch(s *signature, locals, fetch []jen.Code) []jen.Code {
	size := func() *jen.Statement { return jen.Id("dims").Dot(s.field(s.plan.Batch)) }
	body := []jen.Code{
		jen.Id("all").Op(":=").Add(size()),
		size().Op("=").Lit(1),
		size().Op("=").Add(s.pool()).Dot("MicroBatch").Call(jen.Id("dims"), jen.Id("all")),
	}
	body = append(append(body, s.takeState(jen.Id("dims"))...), locals...)
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
		loop = append(loop, s.tryRun())
	}
	loop = append(append(loop, fetch...), jen.If(jen.Id("b").Dot("Last").Call()).Block(jen.Return(jen.Nil())))
	return append(body, jen.For(
		jen.Id("b").Op(":=").Id("s").Dot("FirstMicroBatch").Call(size(), jen.Id("all")), jen.Empty(), jen.Id("b").Op("=").Id("b").Dot("Next").Call(),
	).Block(loop...))
}
