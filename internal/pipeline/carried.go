package pipeline

import (
	"maps"
	"os"
	"slices"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/passes"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/save"
	"github.com/graphc/graphc/rt/tensor"
)

// checkpointed returns the set of checkpoint keys that the program saves. A key is a pair of
// strings: the name of a variable and its slice, or "" for a whole variable. A table has two such
// pairs: one with the name of the tensor that has the keys of the table's entries, and one with the
// name of the tensor that has their values.
func (p *Program) checkpointed() map[[2]string]bool {
	keys := map[[2]string]bool{}
	for _, pl := range p.all() {
		for _, b := range pl.Bufs {
			if b.Place == plan.Kept && b.Object != nil && b.Object.Checkpoint != "" {
				keys[[2]string{b.Object.Checkpoint, b.Object.Slice}] = true
				if b.Object.Values != "" {
					keys[[2]string{b.Object.Values, ""}] = true
				}
			}
		}
	}
	return keys
}

// Checkpoint returns the variables and tables of a program instance that the instance saves and
// restores. The parameter s is the state of the instance. The caller must first create the runners
// that use s; see Signature.RunnerWith.
func (p *Program) Checkpoint(s exec.State) (*save.Checkpoint, error) {
	c := &save.Checkpoint{}
	seen := map[string]bool{}
	for _, pl := range p.all() {
		for _, b := range pl.Bufs {
			v, ok := s[b.Name]
			if b.Place != plan.Kept || b.Object == nil || b.Object.Checkpoint == "" || seen[b.Name] || !ok {
				continue
			}
			seen[b.Name] = true
			h, ok := v.Interface().([]tensor.Handle)
			if !ok || len(h) != 1 {
				return nil, tensor.Errorf(tensor.Internal, "%q is a %v", b.Name, v.Type())
			}
			if b.Object.Values != "" {
				c.Tables = append(c.Tables, save.Table{Keys: b.Object.Checkpoint, Values: b.Object.Values, Handle: (*[1]tensor.Handle)(h)})
				continue
			}
			c.Variables = append(c.Variables, save.Variable{Key: b.Object.Checkpoint, Slice: b.Object.Slice, Handle: (*[1]tensor.Handle)(h)})
		}
	}
	var err error
	c.Carried, err = p.Carried()
	return c, err
}

// all returns all plans of the program that have steps.
func (p *Program) all() []*plan.Plan {
	all := p.Plans()
	if init := p.InitPlan(); init != nil {
		all = append(all, init)
	}
	return plan.Partitions(all)
}

// SetFiles lets the runner's ops read and write files below root; see rt.WithFiles.
func (r *Runner) SetFiles(root *os.Root) {
	for _, x := range r.progs {
		x.Files = root
	}
}

// Carried returns those tensors of the model's checkpoint that the program adds to each checkpoint
// that it saves: the constant variables and the description of objects. The program does not change
// these tensors. Without them, a program that restores the whole model from the saved checkpoint
// would not find all of its variables. The result is nil if the program saves nothing.
func (p *Program) Carried() ([]save.Carried, error) {
	have := p.checkpointed()
	r := p.Model.Checkpoint()
	if len(have) == 0 || r == nil {
		return nil, nil
	}
	named := map[string]bool{} // names of tensors that are saved, whole or in slices
	for k := range have {
		named[k[0]] = true
	}
	rest := map[[2]string]string{} // variables to add: the key maps to the name of the node
	for _, n := range p.Model.Graph.Nodes {
		if !frontend.IsVariable(n) {
			continue
		}
		key, slice, _ := p.Model.CheckpointKey(n.Name)
		k := [2]string{key, slice}
		if key == "" || have[k] {
			continue
		}
		if slice == "" && named[key] { // the program saves the slices of this variable
			continue
		}
		named[key] = true
		if rest[k] == "" {
			rest[k] = n.Name
		}
	}
	var out []save.Carried
	for _, k := range slices.SortedFunc(maps.Keys(rest), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		t, err := p.Model.Variable(rest[k])
		if err != nil {
			return nil, err
		}
		out = append(out, save.Carried{Key: k[0], Slice: k[1], Tensor: t})
	}
	for _, k := range r.Keys() {
		if named[k] {
			continue
		}
		t, err := r.Read(k)
		if err != nil {
			return nil, err
		}
		out = append(out, save.Carried{Key: k, Tensor: t})
	}
	return out, nil
}

// Unused returns the names of the tensors in the model's checkpoint that the compiled signatures do
// not use, sorted.
func (p *Program) Unused() []string {
	r := p.Model.Checkpoint()
	if r == nil {
		return nil
	}
	used := maps.Clone(p.used)
	for k := range p.checkpointed() {
		used[k[0]] = true
	}
	var out []string
	for _, k := range r.Keys() {
		if !used[k] && !frontend.IsDescription(k) {
			out = append(out, k)
		}
	}
	return out
}

// stateOf sets the functions of po that read the initial values of variables and tables from the
// model's checkpoint. When these functions read a tensor, they add its checkpoint key to the set
// that is the last argument.
func stateOf(m *frontend.Model, po *passes.Options, used map[string]bool) {
	po.Keys, po.Needed = m.CheckpointKey, m.Needed
	po.Values = func(node string) (*tensor.Tensor, error) {
		key, _, _ := m.CheckpointKey(node)
		used[key] = true
		return m.Variable(node)
	}
	po.Table = func(node string) (keys, values *tensor.Tensor, names []string, err error) {
		if names = m.TableNames(node); names == nil || m.Checkpoint() == nil || names[0] == "" {
			return nil, nil, names, nil
		}
		used[names[0]], used[names[1]] = true, true
		keys, values, err = m.Table(node)
		return keys, values, names, err
	}
}
