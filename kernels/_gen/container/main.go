// Command container writes those kernels of package kernels/container that move elements. Each
// kernel has three forms: for plain elements, which it moves as bytes, for strings and for handles.
// Run it in the repository's root:
//
//	go -C kernels/_gen run ./container -root ../..
package main

import (
	"bytes"
	"flag"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/graphc/graphc/kernels/_gen/internal/gen"
)

// kernel describes a kernel. The generator writes the kernel in three forms: see the variable forms. In
// the field args, it replaces E by the type of the elements. In the field call, it replaces D by the
// struct that holds the elements.
type kernel struct{ name, doc, args, call string }

// forms are the forms of the kernels: the suffix of the names, the type E, its name in
// comments, and the field of resource.Data that holds the elements.
var forms = []struct{ suffix, elem, what, field string }{
	{"Raw", "byte", "", "B"},
	{"Str", "string", "strings", "S"},
	{"Hnd", "tensor.Handle", "handles", "H"},
}

var lists = []kernel{
	{"ListSet", "sets element index of src to an item of that shape. dst may be src. It returns\nInvalidArgument if there is no such element, unless resize makes room for it. own means that src and\nits earlier versions have no more readers.",
		"dst, src []tensor.Handle, index []int32, item []E, shape []int, d tensor.DType, resize, own bool",
		"listSet(dst, src, index, D{item}, shape, d, resize, own)"},
	{"ListPush", "appends an item of that shape to src. dst may be src. For own see ListSetRaw.",
		"dst, src []tensor.Handle, item []E, shape []int, d tensor.DType, own bool",
		"listPush(dst, src, D{item}, shape, d, own)"},
	{"ListPushBatch", "appends row i of a tensor, of that shape, to list i. dst may be src.",
		"dst, src []tensor.Handle, rows []E, shape []int, d tensor.DType",
		"listPushBatch(dst, src, D{rows}, shape, d)"},
	{"ListGet", "copies element index of src, which must have that shape. An unset element gives zeros.",
		"dst []E, src []tensor.Handle, index []int32, shape []int, d tensor.DType, ask []int, known bool",
		"listGet(D{dst}, src, index, shape, d, ask, known)"},
	{"ListPop", "copies the last element of src, which must have that shape, to item, and\nsets dst to the list without it. dst may be src. It returns InvalidArgument for an empty list. For own\nsee ListSetRaw.",
		"dst []tensor.Handle, item []E, src []tensor.Handle, shape []int, d tensor.DType, ask []int, known, own bool",
		"listPop(dst, D{item}, src, shape, d, ask, known, own)"},
	{"ListStack", "copies the n elements of src, all of that shape, one after the other.",
		"dst []E, src []tensor.Handle, n int, shape []int, d tensor.DType, ask []int, known bool",
		"listStack(D{dst}, src, n, shape, d, ask, known)"},
	{"ListGather", "copies the elements at the indices, all of that shape, one after the other.",
		"dst []E, src []tensor.Handle, index []int32, shape []int, d tensor.DType, ask []int, known bool",
		"listGather(D{dst}, src, index, shape, d, ask, known)"},
	{"ListScatter", "makes a list whose element index[i] is row i of a tensor of that shape.",
		"dst []tensor.Handle, rows []E, index []int32, shape []int, d tensor.DType, elem []int, known bool, p ScatterParams",
		"listScatter(dst, D{rows}, index, shape, d, elem, known, p)"},
	{"ListScatterInto", "sets the elements of src at the indices to the rows of a tensor of that\nshape, and makes room for them. dst may be src.",
		"dst, src []tensor.Handle, rows []E, index []int32, shape []int, d tensor.DType",
		"listScatterInto(dst, src, D{rows}, index, shape, d)"},
	{"ListUnstack", "makes a list of the rows of a tensor of that shape.",
		"dst []tensor.Handle, rows []E, shape []int, d tensor.DType, elem []int, known bool",
		"listUnstack(dst, D{rows}, shape, d, elem, known)"},
	{"ListSplit", "makes a list whose element i has the next lengths[i] rows of a tensor of that shape.",
		"dst []tensor.Handle, rows []E, lengths []int64, shape []int, d tensor.DType, elem []int, known bool",
		"listSplit(dst, D{rows}, lengths, shape, d, elem, known)"},
	{"ListConcat", "copies all elements joined along their first axis, and their rows.",
		"dst []E, lengths []int64, src []tensor.Handle, leading []int64, d tensor.DType, ask []int, known bool",
		"listConcat(D{dst}, lengths, src, leading, d, ask, known)"},
}

var arrays = []kernel{
	{"ArrayWrite", "writes a value of that shape at index: see resource.Array.Write.",
		"flow []float32, array []tensor.Handle, index []int32, value []E, in []float32, shape []int, d tensor.DType",
		"arrayWrite(flow, array, index, D{value}, in, shape, d)"},
	{"ArrayRead", "reads the tensor at index, which must have that shape: see resource.Array.Read.",
		"dst []E, array []tensor.Handle, index []int32, shape []int, d tensor.DType",
		"arrayRead(D{dst}, array, index, shape, d)"},
	{"ArrayGather", "reads the tensors at the indices, all of that shape, one after the other.",
		"dst []E, array []tensor.Handle, index []int32, shape []int, d tensor.DType, ask []int, known bool",
		"arrayGather(D{dst}, array, index, shape, d, ask, known)"},
	{"ArrayPack", "reads the first n tensors, all of that shape, one after the other.",
		"dst []E, array []tensor.Handle, n int, shape []int, d tensor.DType, ask []int, known bool",
		"arrayPack(D{dst}, array, n, shape, d, ask, known)"},
	{"ArrayScatter", "writes row i of a tensor of that shape at index[i].",
		"flow []float32, array []tensor.Handle, index []int32, rows []E, in []float32, shape []int, d tensor.DType",
		"arrayScatter(flow, array, index, D{rows}, in, shape, d)"},
	{"ArrayUnpack", "writes the rows of a tensor of that shape at 0, 1, ….",
		"flow []float32, array []tensor.Handle, rows []E, in []float32, shape []int, d tensor.DType",
		"arrayUnpack(flow, array, D{rows}, in, shape, d)"},
	{"ArraySplit", "writes the next lengths[i] rows of a tensor of that shape at i.",
		"flow []float32, array []tensor.Handle, rows []E, lengths []int64, in []float32, shape []int, d tensor.DType",
		"arraySplit(flow, array, D{rows}, lengths, in, shape, d)"},
	{"ArrayConcat", "reads all tensors joined along their first axis, which then have that shape, and their rows.",
		"dst []E, lengths []int64, array []tensor.Handle, shape []int, d tensor.DType, ask []int, known bool",
		"arrayConcat(D{dst}, lengths, array, shape, d, ask, known)"},
}

var stacks = []kernel{
	{"StackPush", "copies a tensor of that shape onto a stack: see resource.Stack.Push.",
		"stack []tensor.Handle, elem []E, shape []int, d tensor.DType",
		"stackPush(stack, D{elem}, shape, d)"},
	{"StackPop", "removes the last pushed tensor, which must have that shape, and copies it to dst.",
		"dst []E, stack []tensor.Handle, shape []int, d tensor.DType",
		"stackPop(D{dst}, stack, shape, d)"},
}

func main() {
	root := flag.String("root", ".", "the repository")
	flag.Parse()
	var b bytes.Buffer
	b.WriteString("// Code generated by kernels/_gen/container. DO NOT EDIT.\n\npackage container\n\n")
	b.WriteString("import (\n\t\"github.com/graphc/graphc/rt/resource\"\n\t\"github.com/graphc/graphc/rt/tensor\"\n)\n")
	for _, ks := range [][]kernel{lists, arrays, stacks} {
		for _, k := range ks {
			for i, f := range forms {
				doc := strings.ReplaceAll(k.doc, "\n", "\n// ")
				if i > 0 {
					doc = fmt.Sprintf("is %sRaw for %s.", k.name, f.what)
				}
				args := strings.ReplaceAll(k.args, "[]E", "[]"+f.elem)
				call := strings.ReplaceAll(k.call, "D{", "resource.Data{"+f.field+": ")
				fmt.Fprintf(&b, "\n// %s%s %s\nfunc %s%s(%s) error {\n\treturn %s\n}\n", k.name, f.suffix, doc, k.name, f.suffix, args, call)
			}
		}
	}
	gen.Save(filepath.Join(*root, "kernels/container/forms.gen.go"), b.String())
}
