package build

import (
	"errors"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/config"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/rt/tensor"
)

// namesOf converts the names in graphc.yaml to the option Names of the root package.
func namesOf(all map[string]config.Names) map[string]graphc.Names {
	if len(all) == 0 {
		return nil
	}
	ports := func(by map[string]config.Port) map[string]graphc.PortNames {
		out := make(map[string]graphc.PortNames, len(by))
		for name, x := range by {
			out[name] = graphc.PortNames(x)
		}
		return out
	}
	out := make(map[string]graphc.Names, len(all))
	for sig, n := range all {
		out[sig] = graphc.Names{Name: n.Name, Method: n.Method, Feeds: ports(n.Feeds), Fetches: ports(n.Fetches)}
	}
	return out
}

// placed converts the compile error of a model for the user of graphc.yaml. If err contains errors
// about names in graphc.yaml, placed returns only these errors, with their positions in the file.
// Otherwise, it returns err with keys of graphc.yaml instead of flags.
func placed(c *config.Config, model int, err error) error {
	var ps config.Problems
	var walk func(err error)
	walk = func(err error) {
		var wrong *pipeline.NameError
		switch e := err.(type) {
		case nil:
		case *pipeline.NameError:
			wrong = e
		case interface{ Unwrap() []error }:
			for _, inner := range e.Unwrap() {
				walk(inner)
			}
		default:
			walk(errors.Unwrap(err))
		}
		if wrong != nil {
			ps = append(ps, c.NameProblem(model, wrong.Path, tensor.Message(wrong.Err)))
		}
	}
	walk(err)
	if len(ps) == 0 {
		return withKeys(err)
	}
	ps.Sort()
	return &base.CodeError{Code: base.ExitUsage, Err: ps}
}
