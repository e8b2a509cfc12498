// Command sparse writes the exported per-type wrappers of the kernels of sparse
// tensors and matrices, and the tables in package bytype that choose among them. Run
// it in the repository's root:
//
//	go -C kernels/_gen run ./sparse -root ../..
package main

import (
	"bytes"
	"flag"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/graphc/graphc/kernels/_gen/internal/gen"
)

// kernel is a kernel for several element types. In its code, which is in the fields sig, call and
// half, $T is the element type and $R the type of its magnitude. $abs and $conj are functions of the
// element type. $re converts an element to its real part as a float64, and $of converts back. The
// field half is the code for f16 and bf16, in place of the field call. There, $wide and $narrow
// convert an element to float32 and back.
type kernel struct {
	name, doc, sig, ret string
	call, half          string
	types               string
}

// file holds the kernels of one package.
type file struct {
	pkg     string // below kernels
	kernels []kernel
}

const (
	numbers = "F32 F64 F16 BF16 I8 I16 I32 I64 U8 U16 U32 U64 C64 C128"
	reals   = "F32 F64 F16 BF16 I8 I16 I32 I64 U8 U16 U32 U64"
	signed  = "F32 F64 I8 I16 I32 I64 C64 C128"
	fields  = "F32 F64 C64 C128"
)

var files = []file{
	{"sparse", []kernel{
		{name: "AddUnion", types: signed, ret: " int",
			doc:  "is Union for the rows of two sparse tensors with the values x and y, without the rows of both whose sum is below thresh[0] in magnitude.",
			sig:  "fromA, fromB, a, b []int64, x, y []$T, thresh []$R, rank int",
			call: "addUnion(fromA, fromB, a, b, x, y, thresh[0], $abs, rank)"},
		{name: "AddValues", types: signed,
			doc:  "sets dst to the sum of the values x and y of each row that Union found, or to the only one.",
			sig:  "dst, x, y []$T, fromA, fromB []int64",
			call: "addValues(dst, x, y, fromA, fromB)"},
		{name: "AddAt", types: numbers,
			doc:  "adds values[i] to dst[at[i]], one after the other. Positions must be in bounds.",
			sig:  "dst, values []$T, at []int64",
			call: "addAt(dst, values, at)", half: "addAtHalf(dst, values, at, $wide, $narrow)"},
		{name: "SumGroups", types: numbers,
			doc:  "sets element At[g] of dst to the sum of the values of group g, as Groups found it.",
			sig:  "dst, values []$T, order, starts []int64, p GroupParams",
			call: "sumGroups(dst, values, order, starts, p.At)", half: "sumGroupsHalf(dst, values, order, starts, p.At, $wide, $narrow)"},
		{name: "MaxGroups", types: reals,
			doc:  "sets element At[g] of dst to the largest value of group g, as Groups found it. A NaN counts only as the group's last value.",
			sig:  "dst, values []$T, order, starts []int64, p GroupParams",
			call: "maxGroups(dst, values, order, starts, p.At, less)", half: "maxGroupsHalf(dst, values, order, starts, p.At, $wide, $narrow)"},
		{name: "Softmax", types: "F32 F64",
			doc:  "sets dst to exp(v−max)/Σ exp(v−max) for the values v of each group that Groups found, one group after the other.",
			sig:  "dst, values []$T, order, starts []int64",
			call: "softmax(dst, values, order, starts)"},
		{name: "Product", types: "F32 F64 I32 C64 C128", ret: " error",
			doc:  "sets dst to op(A)·op(B), for a sparse A with values at indices, and a dense b. It returns InvalidArgument for an index outside.",
			sig:  "run *mem.Budget, dst, values, b []$T, indices []int64, p Product",
			call: "product(run, dst, values, b, indices, p, $conj)"},
		{name: "ProductHalf", types: "F16 BF16", ret: " error",
			doc:  "sets dst to op(A)·op(B) as ProductF32 does, with sums of float32 in acc, as long as dst.",
			sig:  "run *mem.Budget, dst, values, b []$T, acc []float32, indices []int64, p Product",
			half: "productHalf(run, dst, values, b, acc, indices, p, $wide, $narrow)"},
	}},
	{"sparse/csr", []kernel{
		{name: "FromSparse", types: fields, ret: " error",
			doc:  "makes a matrix from a sparse tensor whose shape RoomOf has checked. It returns InvalidArgument for an index outside, and for batches out of order.",
			sig:  "dst []tensor.Handle, indices []int64, values []$T, shape []int64",
			call: "fromSparse(dst, indices, values, shape)"},
		{name: "FromDense", types: fields, ret: " error",
			doc:  "makes a matrix from the elements at indices of a dense tensor of the shape dims, which RoomOfDims has checked. It returns InvalidArgument for an index outside, and for batches out of order.",
			sig:  "dst []tensor.Handle, dense []$T, indices []int64, dims []int",
			call: "fromDense(dst, dense, indices, dims)"},
		{name: "ToDense", types: fields, ret: " error",
			doc:  "converts a matrix to a dense one in dst. It returns InvalidArgument for another type or size.",
			sig:  "dst []$T, h []tensor.Handle",
			call: "toDense(dst, h)"},
		{name: "ToSparse", types: fields, ret: " error",
			doc:  "converts a matrix to a sparse tensor: indices, dst and shape. It returns InvalidArgument for another type or size.",
			sig:  "indices []int64, dst []$T, shape []int64, h []tensor.Handle",
			call: "toSparse(indices, dst, shape, h)"},
		{name: "Components", types: fields, ret: " error",
			doc:  "copies row pointers, columns and values of the batch index[0]. It returns InvalidArgument for another type or size, and if there is no such batch.",
			sig:  "ptr, col []int32, dst []$T, h []tensor.Handle, index []int32",
			call: "components(ptr, col, dst, h, index)"},
		{name: "Product", types: fields, ret: " error",
			doc:  "sets dst to the product of a matrix and a dense one, batch by batch, in the forms of p. It returns InvalidArgument for another type or size.",
			sig:  "run *mem.Budget, dst []$T, h []tensor.Handle, b []$T, p Product",
			call: "product(run, dst, h, b, p, $conj)"},
		{name: "Transpose", types: fields, ret: " error",
			doc:  "stores a matrix in another form in dst. It returns InvalidArgument for another type.",
			sig:  "dst, h []tensor.Handle, f Form",
			call: "transpose(dst, h, f, $conj)"},
		{name: "SparseRoom", types: fields, ret: " (int, error)",
			doc:  "returns the number of values of the product of two matrices in the given forms. For a very large product it may return a lower bound. It returns InvalidArgument for other types and sizes, and ResourceExhausted for more values than an int32 can count.",
			sig:  "run *mem.Budget, a, b []tensor.Handle, fa, fb Form",
			call: "sparseRoom[$T](run, a, b, fa, fb)"},
		{name: "SparseProduct", types: fields, ret: " error",
			doc:  "makes the product of two matrices in the given forms. room is SparseRoom's result. The product has a value wherever two values are multiplied, even if the sum is 0.",
			sig:  "run *mem.Budget, dst, a, b []tensor.Handle, fa, fb Form, room int",
			call: "sparseProduct(run, dst, a, b, fa, fb, room, $conj)"},
		{name: "Cholesky", types: fields, ret: " error",
			doc:  "makes the lower triangular L with P·A·Pᴴ = L·Lᴴ for each batch of A, where row i of P·A·Pᴴ is row perm[i] of A. It reads only the lower triangle of A. room is CholeskyRoom's result. It returns InvalidArgument for an A that is not positive definite, and for another type.",
			sig:  "run *mem.Budget, dst, h []tensor.Handle, perm []int32, room int",
			call: "cholesky(run, dst, h, perm, room, $conj, $re, $of)"},
	}},
}

func main() {
	root := flag.String("root", ".", "the repository")
	flag.Parse()
	const head = "// Code generated by kernels/_gen/sparse. DO NOT EDIT.\n\n"
	var tables bytes.Buffer
	tables.WriteString(head + "package bytype\n\nimport (\n")
	for _, f := range files {
		fmt.Fprintf(&tables, "\t%q\n", "github.com/graphc/graphc/kernels/"+f.pkg)
	}
	tables.WriteString("\t\"github.com/graphc/graphc/rt/tensor\"\n)\n")
	for _, f := range files {
		pkg := filepath.Base(f.pkg)
		var b bytes.Buffer
		for _, k := range f.kernels {
			fmt.Fprintf(&tables, "\n// %[1]s%[2]s lists the variants of that kernel.\nvar %[1]s%[2]s = Table{\n", strings.ToUpper(pkg[:1])+pkg[1:], k.name)
			for i, e := range gen.Pick(k.types) {
				if i == 0 {
					fmt.Fprintf(&b, "\n// %s%s %s\n", k.name, e.Suffix, k.doc)
				} else {
					fmt.Fprintf(&b, "\n// %s%s is %s%s for %s.\n", k.name, e.Suffix, k.name, gen.Pick(k.types)[0].Suffix, e.Short)
				}
				k.write(&b, e)
				fmt.Fprintf(&tables, "\t{tensor.%s}: %s.%s%s,\n", e.DType, pkg, k.name, e.Suffix)
			}
			tables.WriteString("}\n")
		}
		text := head + "package " + pkg + "\n"
		for _, p := range []string{"mem", "tensor"} {
			if strings.Contains(b.String(), p+".") {
				text += "\nimport \"github.com/graphc/graphc/rt/" + p + "\"\n"
			}
		}
		gen.Save(filepath.Join(*root, "kernels", f.pkg, "types.gen.go"), text+b.String())
	}
	gen.Save(filepath.Join(*root, "ops", "bytype", "sparse_kernels.go"), tables.String())
}

// write writes the wrapper for one type.
func (k *kernel) write(b *bytes.Buffer, e gen.Type) {
	call := k.call
	if e.Suffix == "F16" || e.Suffix == "BF16" {
		call = k.half
	}
	magnitude, abs, conj := e.Go, "absOf["+e.Go+"]", "same["+e.Go+"]"
	re, of := "re["+e.Go+"]", "of"+e.Suffix[1:]
	switch e.Suffix {
	case "C64":
		magnitude, abs, conj = "float32", "abs64", "conj64"
		re, of = "re64", "ofC64"
	case "C128":
		magnitude, abs, conj = "float64", "abs128", "conj128"
		re, of = "re128", "ofC128"
	}
	r := strings.NewReplacer("$T", e.Go, "$R", magnitude, "$abs", abs, "$conj", conj, "$re", re, "$of", of, "$wide", e.Go+".Float32", "$narrow", "tensor.To"+e.Suffix)
	ret := "\t"
	if k.ret != "" {
		ret = "\treturn "
	}
	fmt.Fprintf(b, "func %s%s(%s)%s {\n%s%s\n}\n", k.name, e.Suffix, r.Replace(k.sig), k.ret, ret, r.Replace(call))
}
