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

	distinct = reals + " Bool Str"
)

var packages = []pkg{
	{"array", []fn{
		{"move", "Move", "move", "dst, src []T, dims, dstStrides []int, dstOff int, srcStrides []int, srcOff int", "", every, "",
			`copies the box dims: dst[dstOff + Σ i·dstStrides] = src[srcOff + Σ i·srcStrides]
for every index i of the box. Source strides may be zero (repetition) or negative (reversal). No element of dst is written
twice. All lists have the same length of at most MaxRank. An empty box copies nothing. dst does not overlap src.`},
		{"broadcast", "Broadcast", "broadcast", "dst, src []T, out, in []int", "error", every, "",
			`repeats src, of the shape in, to the shape out: dst[i] = src[i with the axes where in is 1 set to 0].
in is as long as out, with leading ones. It returns InvalidArgument if a dimension is neither 1 nor equal. dst does not
overlap src.`},
		{"fill", "Fill", "fill", "dst, value []T", "", every, "",
			`sets every element of dst to value[0].`},
		{"pad", "Pad", "pad", "dst, src []T, dims, before, after []int, p PadParams[T]", "", every, "",
			`writes src, of the shape dims, with before[k] elements Value[0] before axis k and after[k] after it.
dst does not overlap src.`},
		{"reverse", "ReverseSequence", "reverseSequence", "dst, src []T, lens []I, p SequenceParams", "error", every, idx,
			`reverses the first lens[b] elements of every sequence of batch element b. See SequenceParams.
It returns InvalidArgument for a length outside [0, p.Seq]. dst does not overlap src.`},
		{"reverse", "Roll", "roll", "dst, src []T, dims, shift, axis []int", "error", every, "",
			`rotates src, of the shape dims: element i moves to (i + shift[j]) mod dims along axis[j].
It returns InvalidArgument for an axis out of range. dst does not overlap src.`},
		{"space", "SpaceToBatch", "spaceToBatch", "dst, src []T, block, space, batched, margin []int, p BlockParams", "", every, "",
			`moves blocks of the space axes to the batch. The first margin[k] positions before axis k, and those
after it, are zero. See BlockParams. block has no zero. dst does not overlap src.`},
		{"space", "BatchToSpace", "batchToSpace", "dst, src []T, block, space, batched, margin []int, p BlockParams", "", every, "",
			`moves blocks back from the batch to the space axes. It drops the first margin[k] positions of axis k
and those after space[k]. See BlockParams. block has no zero. dst does not overlap src.`},
		{"unique", "Unique", "unique(run, y, idx, x, scratch, p, $hash, $same)", "run *mem.Budget, y []T, idx []I, x []T, scratch []int32, p UniqueParams[I]", "(int, error)", distinct, idx,
			`writes the different slices of x to y in order of first appearance, the position in y of slice i to
idx[i], and Counts. It returns their number. y has room for x. scratch has UniqueScratch(p.N) elements. NaN equals nothing.`},
		{"unique", "ListDiff", "listDiff(run, out, idx, x, y, scratch, $hash, $same)", "run *mem.Budget, out []T, idx []I, x, y []T, scratch []int32", "(int, error)", reals + " Str", idx,
			`writes the elements of x that are not in y to out and their positions to idx, and returns their
number. out and idx have room for x. scratch has 2·len(y)+1 elements. NaN equals nothing.`},
		{"diag", "Diag", "diag", "dst, src, padding []T, p DiagParams", "", every, "",
			`writes matrices with the packed diagonals src and padding[0] elsewhere. See DiagParams.
dst does not overlap src.`},
		{"diag", "DiagPart", "diagPart", "dst, src, padding []T, p DiagParams", "", every, "",
			`packs diagonals of the matrices src and pads short ones with padding[0]. See DiagParams.
dst does not overlap src.`},
		{"diag", "SetDiag", "setDiag", "dst, src, packed []T, p DiagParams", "", every, "",
			`copies the matrices src, with the diagonals replaced by packed. See DiagParams. dst may be src.`},
		{"diag", "BandPart", "bandPart", "dst, src []T, rows, cols, lower, upper int", "", every, "",
			`copies matrices of rows×cols. Elements more than lower columns left or more than upper columns right
of the main diagonal become zero; a negative number keeps all. dst may be src.`},
		{"patches", "Patches", "patches", "dst, src []T, p PatchParams", "", numbers + " Bool", "",
			`writes for every window the elements it covers, rows first and channels last. Elements outside are 0.
See PatchParams. dst does not overlap src.`},
		{"shapeargs", "BroadcastArgs", "broadcastArgs", "dst, a, b []T", "error", idx, "",
			`writes the shape to which the shapes a and b broadcast. dst is as long as the longer one.`},
		{"select", "Where", "where(dst, x, dims, $nonzero)", "dst []int64, x []T, dims []int", "int", numbers + " Bool", "",
			`writes the position of every element of x that is not zero (NaN is not zero), len(dims) integers
each, in order, and returns their number. dst has room for len(x) positions.`},
		{"select", "OneHot", "oneHot", "dst []T, indices []I, on, off []T, depth, inner int", "", every, idx,
			`writes dst[o, d, i] = on[0] where indices[o, i] = d, else off[0], with d below depth and i below inner.`},
		{"select", "InvertPermutation", "invertPermutation", "dst, x []T", "error", idx, "",
			`writes dst[x[i]] = i. It returns InvalidArgument if x is not a permutation. dst does not overlap x.`},
		{"select", "PermuteRows", "permuteRows", "dst, x []T, all, space []int, rows int", "error", idx, "",
			`writes row all[i] of x to row i of dst if x has as many rows as all, or row space[i] if it has as
many as space. It returns InvalidArgument for another number of rows.`},
		{"select", "DimMap", "dimMap", "dst, x []T, m []int", "error", idx, "",
			`writes dst[i] = m[x[i]], where a negative x[i] counts from the end of m. It returns InvalidArgument
for an x[i] out of range.`},
		{"select", "UnravelIndex", "unravelIndex", "dst, indices, dims []T", "error", idx, "",
			`writes the coordinates dst[k, i] of element indices[i] of a tensor of the shape dims.
It returns InvalidArgument for an index outside, or a dimension below 1.`},
		{"sequence", "Range", "rangeInts", "dst, start, delta []T", "", "I32 I64", "",
			`writes dst[i] = start[0] + i·delta[0], each step rounded to the type.`},
		{"sequence", "Range", "rangeFloats", "dst, start, delta []T", "", "F32 F64", "",
			`writes dst[i] = start[0] + i·delta[0], each step rounded to the type.`},
		{"sequence", "Range", "rangeHalf(dst, start, delta, $to)", "dst, start, delta []T", "", "F16 BF16", "",
			`writes dst[i] = start[0] + i·delta[0], each step rounded to the type.`},
		{"sequence", "RangeLen", "rangeLenInts", "start, limit, delta []T", "(int, error)", "I32 I64", "",
			`returns the number of elements from start[0] to below limit[0] by delta[0]. It returns
InvalidArgument for a delta of zero or of the wrong sign.`},
		{"sequence", "RangeLen", "rangeLenFloats", "start, limit, delta []T", "(int, error)", "F32 F64", "",
			`is RangeLenI32 with the quotient computed in the type.`},
		{"sequence", "RangeLen", "rangeLenHalf(start, limit, delta, $to)", "start, limit, delta []T", "(int, error)", "F16 BF16", "",
			`is RangeLenI32 with the quotient rounded to the type.`},
		{"sequence", "LinSpace", "linSpace", "dst, start, stop []T", "", "F32 F64", "",
			`writes len(dst) numbers evenly spaced from start[0] to stop[0]; one number is start[0].`},
		{"mirror", "MirrorPad", "mirrorPad", "dst, src []T, dims, before, after []int, off int", "", every, "",
			`pads src, of the shape dims, with its mirror image: before[k] elements before axis k, after[k]
after it. off is 1 if the border element is not repeated (REFLECT), else 0. The margins must pass MirrorFits.
dst does not overlap src.`},
		{"mirror", "MirrorPadGrad", "mirrorPadGrad(dst, src, dims, before, after, off, $add)", "dst, src []T, dims, before, after []int, off int", "", numbers, "",
			`is the gradient of MirrorPad: each element of dst, of the shape dims, gets the sum of the elements of
src that mirror it, margins first to last. dst does not overlap src.`},
	}},
	{"gather", []fn{
		{"scatter", "ScatterNew", "scatterNew(dst, updates, indices, dims, p, $add)", "dst, updates []T, indices []I, dims []int, p ScatterParams", "error", numbers + " Bool Str", idx,
			`adds slice i of updates to zeros at the position indices[i, :] of the axes dims. Bools are or-ed,
strings joined. It returns InvalidArgument for a position outside.`},
		{"scatter", "ScatterUpdate", "scatterInto(dst, src, updates, indices, dims, p, $replace)", "dst, src, updates []T, indices []I, dims []int, p ScatterParams", "error", every, idx,
			`copies src to dst, then replaces the slice at the
position indices[i, :] of the axes dims by slice i of updates. It returns InvalidArgument for a position outside. dst may
be src.`},
		{"scatter", "ScatterAdd", "scatterInto(dst, src, updates, indices, dims, p, $add)", "dst, src, updates []T, indices []I, dims []int, p ScatterParams", "error", numbers + " Bool", idx,
			`copies src to dst, then adds slice i of updates to the
slice at the position indices[i, :] of the axes dims. It returns InvalidArgument for a position outside. dst may be src.`},
		{"scatter", "ScatterSub", "scatterInto(dst, src, updates, indices, dims, p, $sub)", "dst, src, updates []T, indices []I, dims []int, p ScatterParams", "error", numbers, idx,
			`copies src to dst, then subtracts slice i of updates from
the slice at the position indices[i, :] of the axes dims. It returns InvalidArgument for a position outside. dst may be
src.`},
		{"scatter", "ScatterMul", "scatterInto(dst, src, updates, indices, dims, p, $mul)", "dst, src, updates []T, indices []I, dims []int, p ScatterParams", "error", numbers, idx,
			`copies src to dst, then multiplies the slice at the
position indices[i, :] of the axes dims by slice i of updates. It returns InvalidArgument for a position outside. dst may
be src.`},
		{"scatter", "ScatterDiv", "scatterDiv(dst, src, updates, indices, dims, p, $quot)", "dst, src, updates []T, indices []I, dims []int, p ScatterParams", "error", numbers, idx,
			`copies src to dst, then divides the slice at the position
indices[i, :] of the axes dims by slice i of updates. It returns InvalidArgument for a position outside, and for an
integer divided by zero. dst may be src.`},
		{"scatter", "ScatterMin", "scatterInto(dst, src, updates, indices, dims, p, $smaller)", "dst, src, updates []T, indices []I, dims []int, p ScatterParams", "error", reals, idx,
			`copies src to dst, then keeps the smaller elements of the
slice at the position indices[i, :] of the axes dims and slice i of updates. It returns InvalidArgument for a position
outside. dst may be src.`},
		{"scatter", "ScatterMax", "scatterInto(dst, src, updates, indices, dims, p, $larger)", "dst, src, updates []T, indices []I, dims []int, p ScatterParams", "error", reals, idx,
			`copies src to dst, then keeps the larger elements of the
slice at the position indices[i, :] of the axes dims and slice i of updates. It returns InvalidArgument for a position
outside. dst may be src.`},
		{"stitch", "Stitch", "stitch", "dst, data []T, indices []int32, inner int", "error", every, "",
			`writes row i of data, inner elements, to row indices[i] of dst.
It returns InvalidArgument for an index outside. dst does not overlap data.`},
		{"stitch", "Partition", "partition", "dst, data []T, partitions []int32, k, inner int", "", every, "",
			`writes the rows i of data with partitions[i] = k, inner elements each, to dst, in order.`},
		{"nd", "GatherNd", "gatherNd", "dst, params []T, indices []I, dims []int, n, inner int", "error", every, idx,
			`copies n slices of inner elements: dst[i, :] = params[indices[i, 0], …, indices[i, len(dims)-1], :].
dims are the indexed axes of params. It returns InvalidArgument for a position outside. dst does not overlap params.`},
		{"gather", "Gather", "gather", "dst, params []T, indices []I, p Params", "error", every, idx,
			`copies slices: dst[b, o, i, :] = params[b, o, indices[b, i], :]. See Params for the shapes.
It returns InvalidArgument for an index outside [0, p.Limit). dst does not overlap params.`},
	}},
	{"order", []fn{
		{"topk", "TopK", "topK(run, values, places, x, p, $before, $nan)", "run *mem.Budget, values []T, places []I, x []T, p TopParams", "", reals, "I16 I32 I64",
			`writes the p.K largest elements of every row of x and their positions, largest first, equal ones by
position. Rows with NaNs are in the order in which TensorFlow's algorithms leave them. With p.K = 1 the result is NaN only
if all elements are.`},
		{"topk", "TopKUnsorted", "topKUnsorted(run, values, places, x, scratch, p, $before, $nan)", "run *mem.Budget, values []T, places []I, x []T, scratch []I, p TopParams", "", reals, "I16 I32 I64",
			`is TopKF32I32 without the sorting: the elements are in the order in which TensorFlow leaves them.
scratch has p.K+1 elements.`},
		{"topk", "Nth", "nth(run, dst, x, scratch, n, k, $before)", "run *mem.Budget, dst, x, scratch []T, n, k int", "", reals, "",
			`writes for every row of n elements of x the element of rank k, counted from the smallest. NaN counts
as the largest. scratch has n elements.`},
		{"search", "LowerBound", "lowerBound(dst, sorted, values, p, $less)", "dst []I, sorted, values []T, p SearchParams", "", reals, idx,
			`writes for every value the first position in its sorted row where it could be inserted.`},
		{"search", "UpperBound", "upperBound(dst, sorted, values, p, $less)", "dst []I, sorted, values []T, p SearchParams", "", reals, idx,
			`writes for every value the last position in its sorted row where it could be inserted.`},
		{"search", "InTopK", "inTopK", "dst []bool, predictions []float32, targets []T, classes, k int", "", idx, "",
			`writes whether fewer than k predictions of row b exceed the one of class targets[b]. It is false for a
class out of range, and for a row with a number that is not finite.`},
	}},
	{"segment", []fn{
		{"segment", "Sum", "fold(dst, data, ids, n, inner, $zero(), $addRow)", "dst, data []T, ids []I, n, inner int", "error", numbers, idx,
			`adds up the rows data[i, :] of every segment ids[i]; a segment without rows is 0. There are n
segments and inner elements a row. It returns InvalidArgument unless the ids ascend within [0, n).`},
		{"segment", "Prod", "fold(dst, data, ids, n, inner, $one(), $mulRow)", "dst, data []T, ids []I, n, inner int", "error", numbers, idx,
			`multiplies the rows data[i, :] of every segment ids[i]; a segment without rows is 1. There are n
segments and inner elements a row. It returns InvalidArgument unless the ids ascend within [0, n).`},
		{"segment", "Min", "fold(dst, data, ids, n, inner, $zero(), $smallerRow)", "dst, data []T, ids []I, n, inner int", "error", reals, idx,
			`takes the smallest of the rows data[i, :] of every segment ids[i]; a segment without rows is 0. There are n
segments and inner elements a row. It returns InvalidArgument unless the ids ascend within [0, n).`},
		{"segment", "Max", "fold(dst, data, ids, n, inner, $zero(), $largerRow)", "dst, data []T, ids []I, n, inner int", "error", reals, idx,
			`takes the largest of the rows data[i, :] of every segment ids[i]; a segment without rows is 0. There are n
segments and inner elements a row. It returns InvalidArgument unless the ids ascend within [0, n).`},
		{"segment", "Mean", "mean(dst, data, ids, n, inner, $addRow, $div)", "dst, data []T, ids []I, n, inner int", "error", numbers, idx,
			`is SumF32I32 divided by the number of rows of each segment.`},
		{"segment", "UnsortedSum", "scatter(dst, data, ids, n, inner, $zero(), $addRow)", "dst, data []T, ids []I, n, inner int", "error", numbers, idx,
			`adds up the rows data[i, :] of every segment ids[i], unordered. Rows with a negative id are dropped.
A segment without rows is 0. It returns InvalidArgument for an id of n or more.`},
		{"segment", "UnsortedProd", "scatter(dst, data, ids, n, inner, $one(), $mulRow)", "dst, data []T, ids []I, n, inner int", "error", numbers, idx,
			`multiplies the rows data[i, :] of every segment ids[i], unordered. Rows with a negative id are dropped.
A segment without rows is 1. It returns InvalidArgument for an id of n or more.`},
		{"segment", "UnsortedMin", "scatter(dst, data, ids, n, inner, $highest(), $smallerRow)", "dst, data []T, ids []I, n, inner int", "error", reals, idx,
			`takes the smallest of the rows data[i, :] of every segment ids[i], unordered. Rows with a negative id are dropped.
A segment without rows is the largest finite number. It returns InvalidArgument for an id of n or more.`},
		{"segment", "UnsortedMax", "scatter(dst, data, ids, n, inner, $lowest(), $largerRow)", "dst, data []T, ids []I, n, inner int", "error", reals, idx,
			`takes the largest of the rows data[i, :] of every segment ids[i], unordered. Rows with a negative id are dropped.
A segment without rows is the lowest finite number. It returns InvalidArgument for an id of n or more.`},
		{"segment", "Rows", "rows", "ids []T", "(int, error)", idx, "",
			`returns the number of segments, one more than the last of ids. It returns InvalidArgument for a
negative id.`},
		{"segment", "Sparse", "sparse", "dst, data []T, indices, ids []I, p SparseParams", "error", "F32 F64 I8 I16 I32 I64 U8 U16 U32 U64", idx,
			`adds up the rows data[indices[i], :] of every segment ids[i] and divides according to p.Scale. A
segment without rows is 0. It returns InvalidArgument unless the ids ascend within [0, p.Rows) and the indices are in
[0, p.Limit).`},
		{"segment", "Sparse", "sparseHalf(dst, data, indices, ids, p, $to)", "dst, data []T, indices, ids []I, p SparseParams", "error", "F16 BF16", idx,
			`is SparseF32I32 with sums in f32, rounded once.`},
		{"segment", "SparseGrad", "sparseGrad", "dst, grad []T, indices, ids []I, n []int64, p SparseParams", "error", "F32 F64", idx,
			`is the gradient of SparseF32I32: it adds row ids[i] of grad, divided according to p.Scale, to row
indices[i] of dst. n is scratch of p.Rows elements. It returns InvalidArgument for an id outside [0, p.Rows) or an index
outside [0, p.Limit).`},
		{"segment", "SparseGrad", "sparseGradHalf(dst, grad, indices, ids, n, p, $to)", "dst, grad []T, indices, ids []I, n []int64, p SparseParams", "error", "F16 BF16", idx,
			`is SparseGradF32I32 with every step rounded.`},
	}},
	{"variable", []fn{
		{"value", "New", "newVar", "p Params, shape []int, value []T", "tensor.Handle", every, "",
			`makes a variable with a copy of value, of the given shape.`},
		{"value", "Read", "read", "dst []T, v []tensor.Handle, shape []int", "error", every, "",
			`copies the value of the variable v to dst. It returns FailedPrecondition if v has no value,
InvalidArgument for another type or shape.`},
		{"value", "ReadAll", "readAll", "dst []T, v []tensor.Handle", "error", every, "",
			`copies the value of the variable v, of any shape with as many elements, to dst. It returns
FailedPrecondition if v has no value, InvalidArgument for another type or number of elements.`},
		{"value", "Assign", "assign", "v []tensor.Handle, x []T, shape []int, p AssignParams", "error", every, "",
			`sets the value of the variable v to x, of the given shape. It returns InvalidArgument if the variable
has another type or does not accept the shape.`},
		{"update", "AssignAdd", "update(v, x, shape, elem.Add#)", "v []tensor.Handle, x []T, shape []int", "error", numbers, "",
			`adds x, of the given shape, to the variable v. It returns InvalidArgument if v has another type or
shape. Without a value a reference returns FailedPrecondition, a resource NotFound.`},
		{"update", "AssignSub", "update(v, x, shape, elem.Sub#)", "v []tensor.Handle, x []T, shape []int", "error", numbers, "",
			`subtracts x, of the given shape, from the variable v. It returns InvalidArgument if v has another
type or shape. Without a value a reference returns FailedPrecondition, a resource NotFound.`},
		{"strided", "StridedAssign", "strided(v, src, begin, end, step, shape, p, array.Move@)",
			"v []tensor.Handle, src []T, begin, end, step []I, shape []int, p StridedParams", "error", every, idx,
			`writes src, of the given shape and broadcast, to the slice begin:end:step of the variable v: see
StridedParams. It returns InvalidArgument if the variable has another type, the slice is invalid, or src does not fit.
Without a value it fails as AssignAddF32.`},
		{"count", "CountUpTo", "countUpTo", "dst []T, v []tensor.Handle, limit int", "error", "I32 I64", "",
			`writes the scalar in the variable v to dst and adds 1 to it. It returns OutOfRange once it is limit.`},
		{"gather", "Gather", "gatherRows(dst, v, indices, shape, p, gather.Gather#)", "dst []T, v []tensor.Handle, indices []I, shape []int, p gather.Params", "error", every, idx,
			`copies slices of the variable v, of the given shape: see gather.Params. It returns InvalidArgument
for an index outside. Without a value it fails as AssignAddF32.`},
		{"gather", "GatherNd", "gatherNd(dst, v, indices, shape, depth, n, inner, gather.GatherNd#)", "dst []T, v []tensor.Handle, indices []I, shape []int, depth, n, inner int", "error", every, idx,
			`copies n slices of the variable v, of the given shape, at the positions indices[i, :] of its first
depth axes. It returns InvalidArgument for a position outside. Without a value it fails as AssignAddF32.`},
		{"scatter", "ScatterUpdate", "scatter(v, updates, indices, ix, up, p, gather.ScatterUpdate#)", "v []tensor.Handle, updates []T, indices []I, ix, up []int, p ScatterParams", "error", every, idx,
			`replaces slices of the variable v: see ScatterParams. ix and up are the shapes of indices and updates. It
returns InvalidArgument for an index outside and shapes that do not fit. Without a value it fails as AssignAddF32.`},
		{"scatter", "ScatterAdd", "scatter(v, updates, indices, ix, up, p, gather.ScatterAdd#)", "v []tensor.Handle, updates []T, indices []I, ix, up []int, p ScatterParams", "error", numbers + " Bool", idx,
			`adds to slices of the variable v: see ScatterParams. ix and up are the shapes of indices and updates. It
returns InvalidArgument for an index outside and shapes that do not fit. Without a value it fails as AssignAddF32.`},
		{"scatter", "ScatterSub", "scatter(v, updates, indices, ix, up, p, gather.ScatterSub#)", "v []tensor.Handle, updates []T, indices []I, ix, up []int, p ScatterParams", "error", numbers, idx,
			`subtracts from slices of the variable v: see ScatterParams. ix and up are the shapes of indices and updates. It
returns InvalidArgument for an index outside and shapes that do not fit. Without a value it fails as AssignAddF32.`},
		{"scatter", "ScatterMul", "scatter(v, updates, indices, ix, up, p, gather.ScatterMul#)", "v []tensor.Handle, updates []T, indices []I, ix, up []int, p ScatterParams", "error", numbers, idx,
			`multiplies slices of the variable v: see ScatterParams. ix and up are the shapes of indices and updates. It
returns InvalidArgument for an index outside and shapes that do not fit. Without a value it fails as AssignAddF32.`},
		{"scatter", "ScatterDiv", "scatter(v, updates, indices, ix, up, p, gather.ScatterDiv#)", "v []tensor.Handle, updates []T, indices []I, ix, up []int, p ScatterParams", "error", numbers, idx,
			`divides slices of the variable v: see ScatterParams. ix and up are the shapes of indices and updates. It
returns InvalidArgument for an index outside, shapes that do not fit, and an integer divided by zero. Without a value it
fails as AssignAddF32.`},
		{"scatter", "ScatterMin", "scatter(v, updates, indices, ix, up, p, gather.ScatterMin#)", "v []tensor.Handle, updates []T, indices []I, ix, up []int, p ScatterParams", "error", reals, idx,
			`keeps the smaller elements of updates and the variable v: see ScatterParams. ix and up are the shapes of indices and updates. It
returns InvalidArgument for an index outside and shapes that do not fit. Without a value it fails as AssignAddF32.`},
		{"scatter", "ScatterMax", "scatter(v, updates, indices, ix, up, p, gather.ScatterMax#)", "v []tensor.Handle, updates []T, indices []I, ix, up []int, p ScatterParams", "error", reals, idx,
			`keeps the larger elements of updates and the variable v: see ScatterParams. ix and up are the shapes of indices and updates. It
returns InvalidArgument for an index outside and shapes that do not fit. Without a value it fails as AssignAddF32.`},
	}},
}
