package dump

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/internal/tool/history"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/plan"
)

// A What selects the output of graphc dump. It has the values of the command's flags.
type What struct {
	Plan, List, Journal      bool
	Full, Origins, Functions bool
}

// maxElems is the maximum number of elements of a constant that a dump shows.
const maxElems = 16

// graph prints a comment line with the title, and then the graph.
func (w What) graph(out io.Writer, title string, g *ir.Graph) error {
	o := ir.PrintOptions{MaxElems: maxElems, Origins: w.Origins, NoLibrary: !w.Functions}
	if w.Full {
		o.MaxElems = 0
	}
	if _, err := fmt.Fprintf(out, "# %s\n", title); err != nil {
		return err
	}
	return ir.Print(out, g, o)
}

// Graphs prints the graphs of a model after passes, or other information that w selects.
func Graphs(a *base.App, paths []string, f flags.Model, pass []string, w What) error {
	o, err := f.Options()
	if err != nil {
		return err
	}
	if err := checkPassNames(pass); err != nil {
		return err
	}
	printed := map[string]bool{}
	var failed error
	if w.List || len(pass) > 0 {
		o.Dump = func(name, sig string, g *ir.Graph) {
			name, plain, device := history.PassName(base.Or(name, "read"))
			where := ""
			if device != "" {
				where = " on " + device
			}
			if w.List {
				fmt.Fprintf(a.Out, "%s\t%s%s\t%d\n", base.Or(sig, "-"), name, where, len(g.Nodes))
				return
			}
			if slices.Contains(pass, name) || slices.Contains(pass, plain) || slices.Contains(pass, "all") {
				printed[name], printed[plain] = true, true
				failed = errors.Join(failed, w.graph(a.Out, title(sig)+" after "+name+where, g))
			}
		}
	}
	h := &history.Recorder{}
	if parted := len(o.Devices) > 1; parted && o.Dump == nil {
		o.Dump = h.Dump
	} else if !parted {
		o.KeepGraph = !w.Plan
	}
	var phase *base.Phase
	if !w.List && len(pass) == 0 { // in the other cases, o.Dump prints while the model is compiled
		phase = compiling(a, &o, paths[0])
	}
	p, err := pipeline.Compile(paths, o)
	phase.Close()
	if err := errors.Join(err, failed); err != nil {
		return base.WrapModel(paths, err)
	}
	for _, name := range pass {
		if name != "all" && !printed[name] {
			fmt.Fprintf(a.Err, "graphc: pass %s did not run\n", name)
		}
	}
	if w.List || len(pass) > 0 {
		return nil
	}
	for _, s := range p.Signatures {
		switch {
		case w.Plan:
			for _, p := range plansOf(s) {
				if _, err = io.WriteString(a.Out, p.String()); err != nil {
					break
				}
			}
		case h.Parts(s.Name) != nil:
			for _, part := range h.Parts(s.Name) {
				if err = w.part(a.Out, title(s.Name)+" on "+part.Device, part.Graph); err != nil {
					break
				}
			}
		default:
			err = w.part(a.Out, title(s.Name), s.Graph)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// compiling starts the progress line of a command that compiles a model. It returns nil if lines
// about placement are printed, because these go to the same terminal.
func compiling(a *base.App, o *pipeline.Options, model string) *base.Phase {
	if o.LogPlacement != nil || o.ExplainPlacement != nil {
		return nil
	}
	return a.NewPhase("compile " + model)
}

// part prints g, which is a whole graph or a partition. If w.Journal is set, it prints g's journal instead.
func (w What) part(out io.Writer, title string, g *ir.Graph) error {
	if w.Journal {
		return printJournal(out, g.Journal)
	}
	return w.graph(out, title, g)
}

// printJournal prints one line for each edit, with the edit's number. The flag "--fuel N" permits
// the edits up to number N. Edits that --fuel does not limit have "-" instead of a number.
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

// PassWords returns the values that the flag --pass accepts.
func PassWords() []string { return append([]string{"read", "all"}, flags.PassNames()...) }

// checkPassNames returns an error if a name is not a value of --pass. A name may end with the
// number of a round of the passes, as in "fold.2".
func checkPassNames(names []string) error {
	known := PassWords()
	for _, n := range names {
		plain, _, _ := strings.Cut(n, ".")
		if slices.Contains(known, plain) {
			continue
		}
		return base.Usagef("--pass %s: no such pass%s", n, base.Nearest(plain, known))
	}
	return nil
}

// plansOf returns the plans of a signature, one for each variant.
func plansOf(s *pipeline.Signature) []*plan.Plan {
	var plans []*plan.Plan
	for _, v := range s.Variants {
		plans = append(plans, v.Plan)
	}
	return plans
}
