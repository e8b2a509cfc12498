package ops_test

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// exactTypes are the types of plan.Scalar steps.
var exactTypes = []tensor.DType{tensor.Bool, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64, tensor.Float32, tensor.Float64}

// exactBits returns elements of a type: numbers near the limits of integer types, and all kinds of
// floats with a single NaN.
func exactBits(d tensor.DType) (all []uint64) {
	switch d {
	case tensor.Bool:
		return []uint64{0, 1}
	case tensor.Float32:
		for _, v := range append(traitNumbers, 0x1p-126, 0x1p-149, -0x1.8p-130, math.MaxFloat32, 3, 1.0/3) {
			all = append(all, uint64(math.Float32bits(v)))
		}
		return all
	case tensor.Float64:
		for _, v := range append([]float64{math.Inf(-1), math.Inf(1), math.NaN(), math.Copysign(0, -1), 0, 1, -2.5, 1e300, -1e-300, 5e-324}, 1.0/3) {
			all = append(all, math.Float64bits(v))
		}
		return all
	}
	mask := uint64(1)<<(8*d.Size()-1)<<1 - 1
	top := mask>>1 + 1
	return []uint64{0, 1, 2, 7, 13, top - 1, top, top + 1, mask, mask - 1}
}

// exactNode adds a node of the op that def describes. Each operand of the node has one element, of
// type d. The last argument is the result type of a conversion; other ops do not use it. ok is false
// if the op does not accept these types.
func exactNode(t *testing.T, g opstest.Graph, def *lower.Def, d, to tensor.DType) (y ir.Out, ins []ir.Out, ok bool) {
	attrs := opstest.Attrs("N", int64(3))
	sig := opdef.Lookup(def.Name)
	for _, a := range sig.Attrs {
		switch {
		case a.Name == "T", a.Name == "SrcT":
			attrs[a.Name] = d
		case a.Name == "DstT":
			attrs[a.Name] = to
		case a.Default != nil:
			attrs[a.Name] = a.Default
		case a.Name == "shape":
			attrs[a.Name] = ir.ShapeOf()
		}
	}
	for i, in := range sig.Ins {
		dt, n := d, 1
		if in.TypeAttr == "" {
			dt = in.DType
		}
		if in.NumberAttr != "" {
			n = 3
		}
		for k := range n {
			ins = append(ins, g.Feed(string(rune('a'+i+k)), dt))
		}
	}
	y = g.Op(def.Name, attrs, ins...)
	return y, ins, ops.Ops().Untaken(y.Node) == nil
}

// TestExact checks the ops that scalar programs may compute inside loops. A program's results must
// have the same bits as those of the host's kernel.
func TestExact(t *testing.T) {
	tried := map[string]int{}
	for _, def := range ops.All() {
		if def.Traits&lower.Exact == 0 {
			continue
		}
		targets := []tensor.DType{tensor.Invalid}
		if def.Types["DstT"] != nil {
			targets = exactTypes
		}
		for _, d := range exactTypes {
			for _, to := range targets {
				tried[def.Name] += exactPair(t, def, d, to)
			}
		}
		if tried[def.Name] == 0 {
			t.Errorf("%s was not tried", def.Name)
		}
	}
	if len(tried) < 20 {
		t.Errorf("%v only", tried)
	}
}

// isNaNBits reports whether bits are a NaN. If several NaNs meet in a sum, the compiler's order of
// operands decides which one remains.
func isNaNBits(d tensor.DType, bits uint64) bool {
	switch d {
	case tensor.Float32:
		return isNaN(math.Float32frombits(uint32(bits)))
	case tensor.Float64:
		return math.IsNaN(math.Float64frombits(bits))
	}
	return false
}

// exactPair compares the scalar program of an op with the op's kernel for operands of type d. The
// last argument is the result type of a conversion; other ops do not use it. exactPair returns the
// number of elements that it compared.
func exactPair(t *testing.T, def *lower.Def, d, to tensor.DType) (tried int) {
	g := opstest.New(t)
	y, ins, ok := exactNode(t, g, def, d, to)
	if !ok {
		return 0
	}
	p, err := g.Lower(y)
	if err != nil {
		return 0 // no kernel
	}
	w, err := ops.Ops().ScalarWork(g.Graph, y.Node)
	if err != nil || !w.Exact() {
		return 0
	}
	x, err := exec.New(p)
	if err != nil {
		t.Fatal(err)
	}
	at := make([]int, len(ins))
	for {
		feeds, bits := map[string]*tensor.Tensor{}, make([]uint64, len(w.In))
		for i, in := range ins {
			v := reflect.MakeSlice(reflect.SliceOf(in.Fact().DType.GoType()), 1, 1)
			b := exactBits(in.Fact().DType)[at[i]]
			scalar.SetElement(v.Index(0), b)
			feeds[in.String()] = &tensor.Tensor{DType: in.Fact().DType, Shape: tensor.Shape{}, Data: v.Interface()}
			for k, pl := range w.In {
				if pl.Tensor == i {
					bits[k] = b
				}
			}
		}
		out, err := x.Run(context.Background(), feeds)
		if err != nil {
			t.Fatal(err)
		}
		want := scalar.ElementBits(reflect.ValueOf(out[y.String()].Data).Index(0))[0]
		if got := w.Fold().Eval(bits); got != want && !(len(ins) > 2 && isNaNBits(d, got) && isNaNBits(d, want)) {
			t.Errorf("%s of %s %#x: %#x, the kernel has %#x", def.Name, d, bits, got, want)
		}
		tried++
		k := 0
		for ; k < len(at); k++ {
			if at[k]++; at[k] < len(exactBits(ins[k].Fact().DType)) {
				break
			}
			at[k] = 0
		}
		if k == len(at) {
			return tried
		}
	}
}
