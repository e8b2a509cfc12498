package main

type pkg struct {
	name  string
	funcs []fn
}

const (
	every   = "F32 F64 F16 BF16 I8 I16 I32 I64 U8 U16 U32 U64 Bool C64 C128 Str"
	numbers = "F32 F64 F16 BF16 I8 I16 I32 I64 U8 U16 U32 U64 C64 C128"
	reals   = "F32 F64 F16 BF16 I8 I16 I32 I64 U8 U16 U32 U64"
	idx     = "I32 I64"
)

var packages = []pkg{
	{"array", []fn{
		{"move", "Move", "move", "dst, src []T, dims, dstStrides []int, dstOff int, srcStrides []int, srcOff int", "", every, "",
			`copies the box dims: dst[dstOff + Σ i·dstStrides] = src[srcOff + Σ i·srcStrides]
for every index i of the box. Source strides may be zero (repetition) or negative (reversal); the places written are
distinct. All slices have one length of at most MaxRank; an empty box copies nothing. dst does not overlap src.`},
		{"broadcast", "Broadcast", "broadcast", "dst, src []T, out, in []int", "error", every, "",
			`repeats src, of the shape in, to the shape out: dst[i] = src[i with the axes where in is 1 set to 0].
in is as long as out, with ones in front. InvalidArgument where a dimension is neither 1 nor equal. dst does not overlap src.`},
		{"fill", "Fill", "fill", "dst, value []T", "", every, "",
			`sets every element of dst to value[0].`},
		{"pad", "Pad", "pad", "dst, src, value []T, dims, before, after []int", "", every, "",
			`writes src, of the shape dims, with before[k] elements value[0] in front of axis k and after[k] behind it.
An empty value means the zero value. dst does not overlap src.`},
	}},
	{"gather", []fn{
		{"gather", "Gather", "gather", "dst, params []T, indices []I, p Params", "error", every, idx,
			`copies slices: dst[b, o, i, :] = params[b, o, indices[b, i], :]. See Params for the shapes.
InvalidArgument for an index outside [0, p.Limit). dst does not overlap params.`},
	}},
}
