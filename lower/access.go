package lower

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// Access says what an op accesses besides its tensors and the program's state.
type Access uint8

// The accesses.
const (
	// NoAccess ops only compute.
	NoAccess Access = iota
	// FileAccess ops read or write files. They are compiled only with AllowFiles, and can access
	// only files below the directory that the program's caller opens.
	FileAccess
	// Denied ops access the network, other processes, a debugger or a Python interpreter, or end
	// the process. They are never compiled.
	Denied
	// Foreign ops call functions outside the graph, such as Python functions. An UnsupportedError
	// lists them together with the ops that have no lowering. The error code for a Foreign op is
	// PermissionDenied. The user can replace a Foreign op by a Go function.
	Foreign
	// Endless ops wait for another process that never sends anything. A run with such an op could
	// end only at its deadline, so the ops are rejected with DeadlineExceeded.
	Endless
)

// AllowFiles makes Lower compile ops with FileAccess. Without AllowFiles, such ops are rejected.
func AllowFiles(l *lowerer) { l.allowFiles = true }

// Touches returns a function for the field Def.Access of an op. The function returns the given
// Access and the given text for each node. The text describes what the op accesses, and appears in
// errors and in the table of ops.
func Touches(a Access, what string) func(*ir.Node) (Access, string) {
	return func(*ir.Node) (Access, string) { return a, what }
}

// refused returns an error that lists all nodes that may not be compiled, with their names, their
// ops, the reasons, and what would be accepted instead. The error for a node is DeadlineExceeded for
// an Endless op, and otherwise PermissionDenied.
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
				"the op %s; this needs --allow-files (allow_files: true in graphc.yaml), and reaches only files below the directory given to the program (its flag --files, or rt.WithFiles)", what), n.Name, n.Op))
		}
	}
	return tensor.Join(errs...)
}
