package inspect

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
)

// Model prints a model's signatures, ops, parameters and state.
func Model(ctx context.Context, a *base.App, paths []string, f flags.Model, asJSON bool) error {
	s, err := f.Spec()
	if err != nil {
		return err
	}
	phase := s.Phase(a, paths[0])
	defer phase.Close()
	m, err := s.Read(ctx, paths)
	if err != nil {
		return err
	}
	r, err := m.Inspect(ctx, &s.Opts)
	phase.Close()
	if err != nil {
		return base.WrapModel(paths, err)
	}
	if asJSON {
		err = a.WriteJSON(r)
	} else {
		err = reportText(a.Out, r)
	}
	switch {
	case err != nil:
		return err
	case len(r.Unsupported) > 0:
		return &base.CodeError{Code: base.ExitUnsupported}
	case len(r.Errors) > 0:
		return &base.CodeError{Code: base.ExitFailure}
	}
	return nil
}

// reportText prints a report as text.
func reportText(out io.Writer, r *graphc.Report) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "model\t%s\n", r.Path)
	fmt.Fprintf(w, "kind\t%s\n", r.Kind)
	fmt.Fprintf(w, "sha256\t%s\n", r.SHA256)
	fmt.Fprintf(w, "nodes\t%d, functions %d\n", r.Nodes, r.Functions)
	if r.Parameters != nil {
		fmt.Fprintf(w, "parameters\t%d\n", *r.Parameters)
	}
	stateText(w, r)
	for _, s := range r.Signatures {
		fmt.Fprintf(w, "\nsignature\t%s\n", base.Or(s.Name, "(none)"))
		if s.Same != "" {
			fmt.Fprintf(w, "  same code as\t%s\n", s.Same)
		}
		if s.Scope != "" {
			fmt.Fprintf(w, "  nodes in\t%s\n", s.Scope)
		}
		for _, p := range s.Feeds {
			fmt.Fprintf(w, "  feed\t%s\t%s\t%s%s\n", p.Key, p.Tensor, p.DType, p.Shape)
		}
		for _, p := range s.Fetches {
			fmt.Fprintf(w, "  fetch\t%s\t%s\t%s%s\n", p.Key, p.Tensor, p.DType, p.Shape)
		}
		for _, t := range s.Targets {
			fmt.Fprintf(w, "  target\t%s\n", t)
		}
		if len(s.Changes) > 0 {
			fmt.Fprintf(w, "  changes\t%s\n", capped(s.Changes, 5))
		}
		if len(s.Reads) > 0 {
			fmt.Fprintf(w, "  reads\t%s\n", capped(s.Reads, 5))
		}
		if s.FLOPs != nil {
			fmt.Fprintf(w, "  flops\t%s", base.Count(float64(*s.FLOPs)))
			if s.FLOPsOf != "" {
				fmt.Fprintf(w, " with unknown sizes 1; %s", s.FLOPsOf)
			}
			fmt.Fprintln(w)
		}
		if s.Kept > 0 {
			fmt.Fprintf(w, "  nodes after passes\t%d\n", s.Kept)
		}
	}
	for _, x := range r.LeftOut {
		fmt.Fprintf(w, "\nleft out\t%s, which computes what %s does: --signature %s compiles it\n", x.Name, x.Same, x.Name)
	}
	fmt.Fprintf(w, "\nops\n")
	for _, o := range r.Ops {
		fmt.Fprintf(w, "  %s\t%d\n", o.Op, o.Count)
	}
	if len(r.Unsupported) > 0 {
		fmt.Fprintf(w, "\nunsupported\n")
	}
	for _, u := range r.Unsupported {
		fmt.Fprintf(w, "  %s\t%d\t%s\n", u.Op, u.Count, capped(u.Nodes, 5))
	}
	for _, e := range r.Errors {
		fmt.Fprintf(w, "\nerror\t%s", e)
	}
	if len(r.Errors) > 0 {
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// capped returns the first n names, separated by commas, and the number of the other names, if any.
func capped(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}

// stateText prints the state of a model.
func stateText(w io.Writer, r *graphc.Report) {
	for _, x := range r.Resources {
		name := x.Name
		if x.Container != "" {
			name = x.Container + "/" + name
		}
		fmt.Fprintf(w, "%s\t%s\t%s%s\n", base.Or(x.Kind, "resource"), name, x.DType, x.Shape)
	}
	for _, n := range r.Init {
		fmt.Fprintf(w, "run by New\t%s\n", n)
	}
	for _, n := range r.Unused {
		fmt.Fprintf(w, "not used\t%s\n", n)
	}
	for _, n := range r.Assets {
		fmt.Fprintf(w, "asset\t%s\n", n)
	}
}
