package frontend

import (
	"fmt"
	"path/filepath"
	"sort"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// readConfig reads a tf2xla.Config. Its feeds and fetches become a signature with an empty name,
// and this signature replaces the model's signatures.
func (m *Model) readConfig(o Options) error {
	raw, err := m.disk.readFile(o.Config)
	if err != nil {
		return err
	}
	c := &pb.XLAConfig{}
	if err := unmarshal(o.Config, raw, c, o.Limits.Depth); err != nil {
		return err
	}
	file := filepath.Base(o.Config)
	var errs Errors
	sig := Signature{Method: "tf2xla"}
	seen := map[string]bool{}
	port := func(what, key string, id *pb.XLATensorId, d pb.DataType, shape *pb.TensorShapeProto) Port {
		if id.GetOutputIndex() < 0 || id.GetOutputIndex() > maxArity {
			errs = append(errs, inFile(file, invalid("%s of node %q: output %d", what, tensor.Clip(id.GetNodeName()), id.GetOutputIndex())))
			return Port{}
		}
		p := Port{Key: key, Tensor: fmt.Sprintf("%s:%d", id.GetNodeName(), id.GetOutputIndex())}
		if p.Key == "" {
			p.Key = p.Tensor
		}
		if seen[what+" "+p.Tensor] {
			errs = append(errs, inFile(file, invalid("two entries %s name the tensor %q", what, tensor.Clip(p.Tensor))))
		}
		seen[what+" "+p.Tensor] = true
		if err := m.checkPort(&p, d, shape); err != nil {
			errs = append(errs, inFile(file, tensor.Errorf(tensor.CodeOf(err), "%s %q: %s", what, tensor.Clip(p.Tensor), plain(err))))
		}
		return p
	}
	for _, f := range c.Feed {
		sig.Inputs = append(sig.Inputs, port("feed", f.Name, f.Id, f.Type, f.Shape))
	}
	for _, f := range c.Fetch {
		sig.Outputs = append(sig.Outputs, port("fetch", f.Name, f.Id, f.Type, f.Shape))
	}
	if len(errs) > 0 {
		return errs
	}
	if len(sig.Outputs) == 0 {
		return inFile(file, invalid("the config names no fetch"))
	}
	sig.sort()
	m.Signatures = []Signature{sig}
	return nil
}

func (s *Signature) sort() {
	sort.SliceStable(s.Inputs, func(i, j int) bool { return s.Inputs[i].Key < s.Inputs[j].Key })
	sort.SliceStable(s.Outputs, func(i, j int) bool { return s.Outputs[i].Key < s.Outputs[j].Key })
	sort.Strings(s.Targets)
}

// checkPort finds the port's tensor in the graph, compares its type with the declared type, and
// sets the port's type and shape.
func (m *Model) checkPort(p *Port, d pb.DataType, shape *pb.TensorShapeProto) error {
	out, err := m.Graph.Lookup(p.Tensor)
	if err != nil {
		return invalid("%s", plain(err))
	}
	p.DType = out.Fact().DType
	if d != 0 && baseType(d) != p.DType {
		return invalid("it is declared %v; the graph has %s", d, p.DType.TFName())
	}
	p.Shape = ir.PartialShape{UnknownRank: true}
	if shape != nil {
		if p.Shape, err = partialShape(shape); err != nil {
			return err
		}
	}
	return nil
}
