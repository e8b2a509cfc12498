package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/graphc/graphc"
)

func newInspect(a *app) *cobra.Command {
	var f modelFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "inspect [flags] MODEL…",
		Short: "Show a model's signatures, ops, parameters and FLOPs",
		Long: `inspect prints a model's signatures with feeds, fetches and shapes, how often
each op occurs, the ops that do not compile with their nodes, the number of
parameters and the FLOPs of matrix products and convolutions; the variables,
tables and queues that the signatures share, which of them a signature reads
and may change, what runs before the first call, and the tensors of the checkpoint
that no signature uses. Exit status 3 when there
are ops that do not compile.`,
		Args: minArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.inspect(c.Context(), args, f, asJSON) },
	}
	f.register(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) inspect(ctx context.Context, paths []string, f modelFlags, asJSON bool) error {
	s, err := f.spec()
	if err != nil {
		return err
	}
	m, err := s.read(ctx, paths)
	if err != nil {
		return err
	}
	r, err := m.Inspect(ctx, &s.opts)
	if err != nil {
		return wrapModel(paths, err)
	}
	if asJSON {
		err = a.writeJSON(r)
	} else {
		err = reportText(a.out, r)
	}
	switch {
	case err != nil:
		return err
	case len(r.Unsupported) > 0:
		return &codeError{code: exitUnsupported}
	case len(r.Errors) > 0:
		return &codeError{code: exitFailure}
	}
	return nil
}

// reportText prints a report for people.
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
		fmt.Fprintf(w, "\nsignature\t%s\n", or(s.Name, "(none)"))
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
			fmt.Fprintf(w, "  flops\t%s", count(float64(*s.FLOPs)))
			if s.FLOPsOf != "" {
				fmt.Fprintf(w, " with unknown sizes 1; %s", s.FLOPsOf)
			}
			fmt.Fprintln(w)
		}
		if s.Kept > 0 {
			fmt.Fprintf(w, "  nodes after passes\t%d\n", s.Kept)
		}
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

// capped joins at most n names.
func capped(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}

// stateText prints what of a model is state.
func stateText(w io.Writer, r *graphc.Report) {
	for _, x := range r.Resources {
		name := x.Name
		if x.Container != "" {
			name = x.Container + "/" + name
		}
		fmt.Fprintf(w, "%s\t%s\t%s%s\n", or(x.Kind, "resource"), name, x.DType, x.Shape)
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
