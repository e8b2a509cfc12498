package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes"
)

// dumpWhat says what to print.
type dumpWhat struct {
	plan, list, journal      bool
	full, origins, functions bool
}

// maxElems is how many elements of a constant a dump shows.
const maxElems = 16

// graph prints a graph, after a comment that says which.
func (w dumpWhat) graph(out io.Writer, title string, g *ir.Graph) error {
	o := ir.PrintOptions{MaxElems: maxElems, Origins: w.origins, NoLibrary: !w.functions}
	if w.full {
		o.MaxElems = 0
	}
	if _, err := fmt.Fprintf(out, "# %s\n", title); err != nil {
		return err
	}
	return ir.Print(out, g, o)
}

func newDump(a *app) *cobra.Command {
	var f modelFlags
	var pass []string
	var w dumpWhat
	var partitions, page string
	c := &cobra.Command{
		Use:   "dump [flags] MODEL…",
		Short: "Print a model's graph after passes",
		Long: `dump prints the graph of each signature as text: after all passes, or after the
ones that --pass names (as "graphc passes" lists them; "read" is the graph before
the first, "fold.2" the second round of fold, "all" every one). --list prints
the names of the passes that ran with the number of nodes each left, --journal
what became of nodes and why, after the number by which --fuel counts an edit
of an optional pass. Large constants are shown by a hash unless --full
is given; a full dump can be read back. --partitions writes GraphDefs instead: what
TensorFlow's session would run on each of the --devices. --html writes one page
that shows all of this: a column for each pass that changed something, with what
is new, changed and gone marked, and the plan.`,
		Args: minArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			text := w.plan || w.list || w.journal || len(pass) > 0
			if page != "" && (partitions != "" || text) || partitions != "" && text {
				return usagef("--html, --partitions and what prints text exclude each other: one of them")
			}
			if partitions != "" {
				return a.dumpPartitions(args, f, partitions)
			}
			if page != "" {
				return a.dumpHTML(args, f, page)
			}
			return a.dump(args, f, pass, w)
		},
	}
	f.register(c.Flags())
	c.Flags().StringSliceVar(&pass, "pass", nil, "print the graph after these passes")
	c.Flags().BoolVar(&w.plan, "plan", false, "print the plan instead of the graph")
	c.Flags().BoolVar(&w.list, "list", false, "list the passes that ran and the nodes they left")
	c.Flags().BoolVar(&w.journal, "journal", false, "print the journal of edits instead of the graph")
	c.Flags().BoolVar(&w.full, "full", false, "print all elements of constants")
	c.Flags().BoolVar(&w.origins, "origins", false, "print where nodes came from")
	c.Flags().BoolVar(&w.functions, "functions", false, "print the functions, too")
	c.Flags().StringVar(&partitions, "partitions", "", "write the graph of each device, with sends and receives, as TensorFlow would divide it, into this directory")
	c.Flags().StringVar(&page, "html", "", "write a page with a column for each pass into this file")
	completeWith(c, "pass", dumpNames()...)
	return c
}

func (a *app) dump(paths []string, f modelFlags, pass []string, w dumpWhat) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	if err := checkPassNames(pass); err != nil {
		return err
	}
	printed := map[string]bool{}
	var failed error
	if w.list || len(pass) > 0 {
		o.Dump = func(name, sig string, g *ir.Graph) {
			name, plain, device := passName(or(name, "read"))
			where := ""
			if device != "" {
				where = " on " + device
			}
			if w.list {
				fmt.Fprintf(a.out, "%s\t%s%s\t%d\n", or(sig, "-"), name, where, len(g.Nodes))
				return
			}
			if slices.Contains(pass, name) || slices.Contains(pass, plain) || slices.Contains(pass, "all") {
				printed[name], printed[plain] = true, true
				failed = errors.Join(failed, w.graph(a.out, title(sig)+" after "+name+where, g))
			}
		}
	}
	h := &historian{}
	if parted := len(o.Devices) > 1; parted && o.Dump == nil {
		o.Dump = h.dump
	} else if !parted {
		o.KeepGraph = !w.plan
	}
	p, err := pipeline.Compile(paths, o)
	if err := errors.Join(err, failed); err != nil {
		return wrapModel(paths, err)
	}
	for _, name := range pass {
		if name != "all" && !printed[name] {
			fmt.Fprintf(a.err, "graphc: pass %s did not run\n", name)
		}
	}
	if w.list || len(pass) > 0 {
		return nil
	}
	for _, s := range p.Signatures {
		switch {
		case w.plan:
			for _, p := range plansOf(s) {
				if _, err = io.WriteString(a.out, p.String()); err != nil {
					break
				}
			}
		case h.parts(s.Name) != nil:
			for _, part := range h.parts(s.Name) {
				if err = w.part(a.out, title(s.Name)+" on "+part.device, part.graph); err != nil {
					break
				}
			}
		default:
			err = w.part(a.out, title(s.Name), s.Graph)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// part prints a whole graph or a partition, or its journal.
func (w dumpWhat) part(out io.Writer, title string, g *ir.Graph) error {
	if w.journal {
		return printJournal(out, g.Journal)
	}
	return w.graph(out, title, g)
}

// printJournal prints edits a line each, after the numbers by which fuel counts them.
func printJournal(w io.Writer, edits []ir.Edit) error {
	b := bufio.NewWriter(w)
	for _, e := range edits {
		number := "-"
		if e.N > 0 {
			number = strconv.Itoa(e.N)
		}
		fmt.Fprintf(b, "%s\t%s\n", number, e)
	}
	return b.Flush()
}

func title(sig string) string { return fmt.Sprintf("signature %q", sig) }

// dumpNames are the words that --pass takes.
func dumpNames() []string { return append([]string{"read", "all"}, passNames()...) }

// passNames are the names of the passes.
func passNames() []string {
	var names []string
	for _, p := range passes.Table() {
		names = append(names, p.Name)
	}
	return names
}

// checkPassNames refuses names that no pass has; "fold.2" is fold.
func checkPassNames(names []string) error {
	known := dumpNames()
	for _, n := range names {
		plain, _, _ := strings.Cut(n, ".")
		if slices.Contains(known, plain) {
			continue
		}
		return usagef("--pass %s: no such pass%s", n, nearest(plain, known))
	}
	return nil
}
