package lower

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// Access is what an op touches beside its tensors and the program's own state.
type Access uint8

// The accesses.
const (
	// NoAccess ops compute.
	NoAccess Access = iota
	// FileAccess ops read or write files. They are compiled where AllowFiles is given, and see
	// no file but those below the directory that the program's caller opens.
	FileAccess
	// Denied ops reach the network, other processes, a debugger or a Python
	// interpreter, or end the process. No program holds them.
	Denied
	// Endless ops wait for what another process sends, and so for what never comes: a run
	// could only end by its deadline. They are refused with that code.
	Endless
)

// AllowFiles compiles ops of FileAccess. Without it they are refused.
func AllowFiles(l *lowerer) { l.allowFiles = true }

// Touches says that an op always has this access: what it does, as errors and the op
// table say.
func Touches(a Access, what string) func(*ir.Node) (Access, string) {
	return func(*ir.Node) (Access, string) { return a, what }
}

// refused returns PermissionDenied, or DeadlineExceeded for Endless ops, with all
// nodes that may not be compiled: node, op, reason and what would be accepted.
func (t *Table) refused(g *ir.Graph, allowFiles bool) error {
	var errs []error
	for _, n := range g.Nodes {
		d := t.Lookup(n.Op)
		if d == nil || d.Access == nil {
			continue
		}
		switch a, what := d.Access(n); {
		case a == Denied:
			errs = append(errs, tensor.AtNode(tensor.Errorf(tensor.PermissionDenied, "%s", what), n.Name, n.Op))
		case a == Endless:
			errs = append(errs, tensor.AtNode(tensor.Errorf(tensor.DeadlineExceeded, "%s", what), n.Name, n.Op))
		case a == FileAccess && !allowFiles:
			errs = append(errs, tensor.AtNode(tensor.Errorf(tensor.PermissionDenied,
				"the op %s; that is compiled with --allow-files (allow_files: true in graphc.yaml) only, and the files are then those below the directory that the program is given (-files, rt.WithFiles)", what), n.Name, n.Op))
		}
	}
	return tensor.Join(errs...)
}
