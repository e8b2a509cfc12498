package pipeline

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/exec"
	"github.com/graphc/graphc/rt/tensor"
)

// initName is the signature of what runs once, before anything else.
const initName = "__init"

// initRequest is the request for a model's own initialisation.
func initRequest(m *frontend.Model) (request, bool) {
	return request{name: initName, targets: m.InitOps}, len(m.InitOps) > 0
}

// written returns the variables that some request's nodes may write: what they hold
// when compiling is not what a run finds. A request that does not compile
// writes nothing, since it will not run.
func written(m *frontend.Model, reqs []request, o Options) map[string]bool {
	vars := map[string]bool{}
	if !passes.MayWrite(m.Graph) {
		return vars
	}
	for _, r := range reqs {
		g := m.Graph.Clone()
		if bind(g, r) != nil || passes.Prepare(g, passes.Options{SoftPlacement: o.SoftPlacement}) != nil {
			continue
		}
		for v := range passes.Writers(g) {
			vars[v] = true
		}
	}
	return vars
}

// assetFolder is where a program's graph finds its assets, by name only: what they
// hold is part of the program.
const assetFolder = "assets"

// withAssets puts the names of assets into the tensors of g that are to hold them, and
// returns where the files of these names are.
func withAssets(m *frontend.Model, g *ir.Graph) (map[string]string, error) {
	files := map[string]string{}
	for _, name := range sortedNames(m.Assets) {
		o, err := g.Lookup(name)
		if err != nil {
			return nil, err
		}
		file := path.Join(assetFolder, filepath.Base(m.Assets[name]))
		files[file] = m.Assets[name]
		n := o.Node
		if n.Op != "Const" || o.Index != 0 {
			return nil, tensor.AtNode(tensor.Errorf(tensor.Unimplemented, "the name of an asset goes into a %s, a Const is supported", n.Op), n.Name, n.Op)
		}
		v := n.Value()
		if v == nil || v.DType != tensor.String {
			return nil, tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "the name of an asset goes into %v", v), n.Name, n.Op)
		}
		data := make([]string, v.Len())
		for i := range data {
			data[i] = file
		}
		n.Attrs["value"] = &tensor.Tensor{DType: tensor.String, Shape: v.Shape, Data: data}
	}
	return files, nil
}

func sortedNames(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// InitPlan returns the plan of Init, nil where there is none.
func (p *Program) InitPlan() *plan.Plan {
	if p.Init == nil {
		return nil
	}
	return p.Init.Plan
}

// NewState returns what an instance of the program keeps from run to run, as it is
// before the first run: with the model's own initialisation done.
func (p *Program) NewState() (exec.State, error) {
	s := exec.State{}
	if p.Init == nil {
		return s, nil
	}
	r, err := p.Init.RunnerWith(s)
	if err != nil {
		return nil, err
	}
	if _, err := r.Run(context.Background(), nil); err != nil {
		return nil, fmt.Errorf("initialisation: %w", err)
	}
	return s, nil
}
