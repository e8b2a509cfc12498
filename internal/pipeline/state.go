package pipeline

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// InitName is the name of the signature that initializes an instance. It runs once, before all
// other signatures.
const InitName = "__init"

// initRequest returns the request that initializes an instance: it runs the model's initialization
// and the nodes in Options.Init. The bool is false if there are no such nodes.
func initRequest(m *frontend.Model, o Options) (request, bool) {
	r := request{name: InitName, targets: slices.Clip(m.InitOps)}
	for _, n := range o.Init {
		if !slices.Contains(r.targets, n) {
			r.targets = append(r.targets, n)
		}
	}
	return r, len(r.targets) > 0
}

// written returns the set of variables that the requests may write. The values of these variables
// can change, so plans cannot have them as constants. A request that does not compile is ignored,
// because it will never run.
func written(m *frontend.Model, reqs []request, o Options) map[string]bool {
	vars := map[string]bool{}
	if !passes.MayWrite(ops.Ops(), m.Graph) {
		return vars
	}
	for _, r := range reqs {
		g := m.Graph.Clone()
		g.Deadline = o.deadline
		if bind(g, r) != nil || passes.Prepare(g, passes.Options{Ops: ops.Ops(), SoftPlacement: o.SoftPlacement, Limits: o.Limits}) != nil {
			continue
		}
		maps.Copy(vars, passes.Writers(ops.Ops(), g))
	}
	return vars
}

// initialWarnings returns warnings for nodes of Options.Init that set variables to initial values
// although a checkpoint has values for them.
func initialWarnings(m *frontend.Model, o Options) []string {
	if len(o.Init) == 0 {
		return nil
	}
	names := strings.Join(o.Init, ", ")
	if near := m.Nearby(); near != "" {
		return []string{fmt.Sprintf("init (%s) gives variables their initial values, although there is a checkpoint %s: checkpoint %s has the model begin with its values", names, near, near)}
	}
	if m.Checkpoint() == nil {
		return nil
	}
	vars := written(m, []request{{name: InitName, targets: o.Init}}, o)
	var lost []string
	for _, n := range m.Graph.Nodes {
		if key, _, _ := m.CheckpointKey(n.Name); vars[n.Name] && key != "" {
			lost = append(lost, n.Name)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	slices.Sort(lost)
	more := ""
	if n := len(lost) - 5; n > 0 {
		lost, more = lost[:5], fmt.Sprintf(" and %d more", n)
	}
	return []string{fmt.Sprintf("init (%s) gives variables their initial values in place of the checkpoint's: %s%s", names, strings.Join(lost, ", "), more)}
}

// assetFolder is the folder of the assets in a program's graph. Below it, an asset has the same
// name as in the SavedModel. The contents of the assets are part of the program.
const assetFolder = "assets"

// withAssets replaces the nodes of g that contain names of assets by constants. The elements of such
// a constant are the path of the asset, such as "assets/words.txt". withAssets returns the assets,
// keyed by these paths.
func withAssets(m *frontend.Model, g *ir.Graph) (map[string]*frontend.Asset, error) {
	files := map[string]*frontend.Asset{}
	for _, name := range slices.Sorted(maps.Keys(m.Assets)) {
		o, err := g.Lookup(name)
		if err != nil {
			return nil, err
		}
		file := path.Join(assetFolder, m.Assets[name].Name)
		files[file] = m.Assets[name]
		n, shape := o.Node, tensor.Shape{}
		switch v := n.Value(); {
		case o.Index != 0 || len(n.Ins) > 0 || n.Outs[0].DType != tensor.String:
			return nil, tensor.AtNode(tensor.Errorf(tensor.Unimplemented, "the name of an asset is stored in a %s of type %v: only a Const or Placeholder of type str is supported", n.Op, n.Outs[o.Index].DType), n.Name, n.Op)
		case v != nil:
			shape = v.Shape
		}
		count, err := shape.Len()
		if err != nil {
			return nil, tensor.AtNode(err, n.Name, n.Op)
		}
		data := make([]string, count)
		for i := range data {
			data[i] = file
		}
		n.Op, n.Attrs = "Const", map[string]ir.Attr{"dtype": tensor.String, "value": &tensor.Tensor{DType: tensor.String, Shape: shape, Data: data}}
	}
	return files, nil
}

// InitPlan returns the plan of Init, or nil.
func (p *Program) InitPlan() *plan.Plan {
	if p.Init == nil {
		return nil
	}
	return p.Init.Plan
}

// NewState returns the state that an instance has after the model's initialization and before its
// first run.
func (p *Program) NewState() (exec.State, error) { return p.NewStateIn(nil) }

// NewStateIn is like NewState, but ops may access the files below root; see rt.WithFiles.
func (p *Program) NewStateIn(root *os.Root) (exec.State, error) {
	return p.NewStateWith(context.Background(), root)
}

// NewStateWith is like NewStateIn, but has a context for the initialization. If ctx is done, the
// error is that of ctx.
func (p *Program) NewStateWith(ctx context.Context, root *os.Root) (exec.State, error) {
	s := exec.State{}
	if p.Init == nil {
		return s, nil
	}
	r, err := p.Init.RunnerWith(s)
	if err != nil {
		return nil, err
	}
	r.SetFiles(root)
	if _, err := r.Run(ctx, nil); err != nil {
		return nil, fmt.Errorf("initialisation: %w", err)
	}
	return s, nil
}
