// Command _gen compacts TensorFlow's OpList into the table of package opdef.
//
// The list is ops.pb.gz beside this file. For another version of TensorFlow, write the op
// registry's OpList with SerializeToString(deterministic=True) to ops.pb and run
//
//	gzip -9n ops.pb
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"sort"

	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: _gen ops.pb.gz ops.txt")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in, out string) error {
	raw, err := read(in)
	if err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	var l pb.OpList
	if err := proto.Unmarshal(raw, &l); err != nil {
		return err
	}
	sort.Slice(l.Op, func(i, j int) bool { return l.Op[i].Name < l.Op[j].Name })
	var b bytes.Buffer
	for _, d := range l.Op {
		o := &opdef.Op{Name: d.Name, Stateful: d.IsStateful, Commutative: d.IsCommutative, Aggregate: d.IsAggregate,
			AllowsUninitialized: d.AllowsUninitializedInput, Distributed: d.IsDistributedCommunication,
			Deprecated: int(d.Deprecation.GetVersion()), Ins: args(d.InputArg), Outs: args(d.OutputArg)}
		for _, a := range d.Attr {
			at := opdef.Attr{Name: a.Name, Kind: a.Type, HasMin: a.HasMinimum, Min: a.Minimum}
			if a.DefaultValue != nil {
				at.HasDefault = true
				if at.Default, err = value(a.Type, a.DefaultValue); err != nil {
					return fmt.Errorf("%s.%s: %w", d.Name, a.Name, err)
				}
			}
			if al := a.AllowedValues.GetList(); al != nil {
				for _, t := range al.Type {
					at.Types = append(at.Types, tensor.DType(t))
				}
				for _, s := range al.S {
					at.Strings = append(at.Strings, string(s))
				}
			}
			o.Attrs = append(o.Attrs, at)
		}
		b.WriteString(opdef.Format(o) + "\n")
	}
	return os.WriteFile(out, b.Bytes(), 0o644)
}

// read returns the uncompressed content of a gzip file.
func read(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func args(l []*pb.OpDef_ArgDef) []opdef.Arg {
	var r []opdef.Arg
	for _, a := range l {
		r = append(r, opdef.Arg{Name: a.Name, DType: tensor.DType(a.Type), Ref: a.IsRef,
			TypeAttr: a.TypeAttr, NumberAttr: a.NumberAttr, TypeListAttr: a.TypeListAttr})
	}
	return r
}

func shape(s *pb.TensorShapeProto) ir.PartialShape {
	r := ir.PartialShape{UnknownRank: s.UnknownRank}
	for _, d := range s.Dim {
		r.Dims = append(r.Dims, d.Size)
	}
	return r
}

func value(kind string, v *pb.AttrValue) (ir.Attr, error) {
	l := v.GetList()
	switch kind {
	case "string":
		return string(v.GetS()), nil
	case "int":
		return v.GetI(), nil
	case "float":
		return v.GetF(), nil
	case "bool":
		return v.GetB(), nil
	case "type":
		return tensor.DType(v.GetType()), nil
	case "shape":
		return shape(v.GetShape()), nil
	case "list(string)":
		r := []string{}
		for _, s := range l.S {
			r = append(r, string(s))
		}
		return r, nil
	case "list(int)":
		return l.I, nil
	case "list(float)":
		return l.F, nil
	case "list(bool)":
		return l.B, nil
	case "list(type)":
		r := []tensor.DType{}
		for _, t := range l.Type {
			r = append(r, tensor.DType(t))
		}
		return r, nil
	case "list(shape)":
		r := []ir.PartialShape{}
		for _, s := range l.Shape {
			r = append(r, shape(s))
		}
		return r, nil
	case "list(func)":
		if len(l.Func) == 0 {
			return []ir.Func{}, nil
		}
	case "list(tensor)":
		r := []*tensor.Tensor{}
		for _, t := range l.Tensor {
			d, err := tensorOf(t)
			if err != nil {
				return nil, err
			}
			r = append(r, d)
		}
		return r, nil
	case "tensor":
		return tensorOf(v.GetTensor())
	}
	return nil, fmt.Errorf("a default of kind %s has no text form", kind)
}

func tensorOf(t *pb.TensorProto) (*tensor.Tensor, error) {
	var dims tensor.Shape
	for _, d := range t.TensorShape.Dim {
		dims = append(dims, int(d.Size))
	}
	switch tensor.DType(t.Dtype) {
	case tensor.Int32:
		return tensor.From(dims, t.IntVal)
	case tensor.Uint8:
		var u []uint8
		for _, i := range t.IntVal {
			u = append(u, uint8(i))
		}
		return tensor.From(dims, u)
	}
	return nil, fmt.Errorf("a default tensor of type %v has no text form", t.Dtype)
}
