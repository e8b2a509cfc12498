package graphc

import (
	"maps"
	"slices"
	"strings"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/kernels/variable"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// resourceText returns the displayed name of a resource: for example variable layer0/w.
func resourceText(buf string) string {
	kind, container, name := resourceOf(buf)
	if container != "" {
		name = container + "/" + name
	}
	return strings.TrimSpace(kind + " " + name)
}

// resourceOf splits the name of a buffer that holds a resource into the resource's kind, container
// and name.
func resourceOf(buf string) (kind, container, name string) {
	i := strings.IndexAny(buf, " :@")
	if i < 0 || strings.Contains(buf[:i], "/") {
		return "", "", buf
	}
	kind, name = buf[:i], buf[i+1:]
	if between := map[byte]string{' ': "/", ':': ":"}[buf[i]]; between != "" {
		if c, n, ok := strings.Cut(name, between); ok {
			container, name = plan.ContainerOf(c), n
		}
	}
	return kind, container, name
}

// stateOf returns the names of two groups of resources: those that a signature only reads, and
// those that it can change.
func stateOf(s *pipeline.Signature) (read, changed []string) {
	reads, changes := map[string]bool{}, map[string]bool{}
	for _, v := range s.Variants {
		if v.Plan == nil {
			continue
		}
		written := passes.Writers(ops.Ops(), v.Graph)
		note := func(_ int, st plan.Step) {
			c, ok := plan.CallOf(st)
			if !ok {
				return
			}
			c.Views(func(w plan.View) {
				b := w.Buf.Root()
				if b.Object == nil {
					return
				}
				d := ops.Lookup(c.Op)
				kind, _, _ := resourceOf(b.Name)
				if isVariable := kind == "variable" || kind == "reference"; isVariable && written[b.Name] || !isVariable && d != nil && d.Has(lower.Effect) {
					changes[resourceText(b.Name)] = true
				} else {
					reads[resourceText(b.Name)] = true
				}
			})
		}
		for _, p := range v.Plan.Partitions() {
			plan.Walk(p.Steps, note)
		}
	}
	maps.DeleteFunc(reads, func(name string, _ bool) bool { return changes[name] })
	return slices.Sorted(maps.Keys(reads)), slices.Sorted(maps.Keys(changes))
}

// resourcesOf lists the resources that an instance of the program keeps.
func resourcesOf(p *pipeline.Program) []ResourceReport {
	all := map[string]*plan.Buf{}
	list := p.Signatures
	if p.Init != nil {
		list = append(slices.Clip(list), p.Init)
	}
	for _, s := range list {
		for _, v := range s.Variants {
			if v.Plan == nil {
				continue
			}
			for _, p := range v.Plan.Partitions() {
				for _, b := range p.Bufs {
					if b.Object != nil && b.Alias == nil {
						all[b.Name] = b
					}
				}
			}
		}
	}
	var out []ResourceReport
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b := all[name]
		r := ResourceReport{Checkpoint: b.Object.Checkpoint}
		r.Kind, r.Container, r.Name = resourceOf(name)
		for _, a := range b.Object.Args {
			if v, ok := a.(plan.Value); ok {
				if p, ok := v.V.(variable.Params); ok {
					r.DType = p.DType.String()
					if !p.AnyRank {
						r.Shape = tensor.Shape(p.Declared).String()
					}
				}
			}
		}
		out = append(out, r)
	}
	return out
}

// addState adds the model's state to the report. It also adds the names of the nodes that run
// before the first call.
func (r *Report) addState(m *frontend.Model, p *pipeline.Program, init []string) {
	r.Resources, r.Unused = resourcesOf(p), p.Unused()
	r.Init = append(slices.Clip(m.InitOps), init...)
	for _, name := range slices.Sorted(maps.Keys(m.Assets)) {
		r.Assets = append(r.Assets, m.Assets[name].Name)
	}
	slices.Sort(r.Assets)
	r.Assets = slices.Compact(r.Assets)
}
