package mutants

// Mutants are the checks, one or more of each kind.
var Mutants = []Mutant{
	{Kind: "number of elements of a shape", Breaks: "dimensions whose product wraps around pass as a small tensor, and what is behind it is read and written",
		File: "rt/tensor/tensor.go", Old: "case n > math.MaxInt/d:", New: "case n > math.MaxInt/d && false:",
		Package: "rt/npy", Run: "TestReadRefuses"},
	{Kind: "indices of a gather", Breaks: "an index that is fed reads memory outside of the tensor",
		File: "kernels/gather/gather.go", Old: "if x < 0 || int64(x) >= int64(p.Limit) {", New: "if false {",
		Package: "kernels/gather", Run: "TestGather"},
}
