package diff

import (
	"context"
	"fmt"
	"io"

	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/casebuild"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/ir"
)

// maxEdits is a number of edits that the passes never reach in a graph.
const maxEdits = 1 << 24

// bisectReport is the result of "graphc diff --bisect".
type bisectReport struct {
	Case  string `json:"case"`
	Edits int    `json:"edits"` // total number of edits of optional passes
	Runs  int    `json:"runs"`  // number of graphs compiled for the search
	// Edit is the number of the first edit after which the results are wrong. It is 0 if the results
	// are wrong without any edit, and -1 if they are right with all edits.
	Edit int    `json:"edit"`
	Pass string `json:"pass,omitempty"`
	Node string `json:"node,omitempty"`
	What string `json:"what,omitempty"` // text of this edit, as in the graph's journal
	Then string `json:"then,omitempty"` // description of the wrong results after this edit
}

// bisect finds and prints the first edit of an optional pass after which a case's results are
// wrong.
func bisect(ctx context.Context, a *base.App, c *cases.Case, f Flags) error {
	phase := a.NewPhase(c.Path)
	s := &bisection{cc: casebuild.Options{Passes: f.Passes, Devices: f.Devices}.Compiler(c)}
	r, err := s.search(base.WithPhase(ctx, phase))
	phase.Close()
	if err != nil {
		return err
	}
	return tell(a, r, f.JSON, r.Edit >= 0)
}

// bisection runs a case with different numbers of edits.
type bisection struct {
	cc   *casebuild.Compiler
	runs int
}

// try compiles and runs the case while the optional passes may make only the given number of edits.
// It returns the edits that the passes made. The text describes how the results differ from the
// recorded ones; it is "" if they agree.
func (s *bisection) try(ctx context.Context, edits int) ([]ir.Edit, string, error) {
	s.runs++
	if edits < maxEdits {
		base.Doing(ctx, fmt.Sprintf("graph %d: the first %d edits", s.runs, edits))
	}
	cc := *s.cc
	cc.Passes.Fuel = flags.Fuel{Limited: true, Edits: edits}
	p, err := casebuild.Check(ctx, &cc)
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	var made []ir.Edit
	if p != nil {
		for _, sig := range p.Signatures {
			for _, e := range sig.Graph.Journal {
				if e.N > 0 {
					made = append(made, e)
				}
			}
		}
	}
	if err != nil {
		return made, err.Error(), nil
	}
	return made, "", nil
}

func (s *bisection) search(ctx context.Context) (*bisectReport, error) {
	edits, then, err := s.try(ctx, maxEdits)
	if err != nil {
		return nil, err
	}
	r := &bisectReport{Case: s.cc.Case.Path, Edits: len(edits), Edit: -1}
	if then == "" {
		r.Runs = s.runs
		return r, nil
	}
	_, wrong, err := s.try(ctx, 0)
	if err != nil {
		return nil, err
	}
	if wrong != "" {
		r.Edit, r.Then, r.Runs = 0, wrong, s.runs
		return r, nil
	}
	good, bad := 0, len(edits)
	if bad == 0 { // the case does not compile with all edits, so their number is unknown
		bad = maxEdits
	}
	for bad-good > 1 {
		mid := good + (bad-good)/2
		made, wrong, err := s.try(ctx, mid)
		if err != nil {
			return nil, err
		}
		if wrong == "" {
			good = mid
		} else {
			bad, edits, then = mid, made, wrong
		}
	}
	r.Edit, r.Then, r.Runs = bad, then, s.runs
	if r.What = "the graph does not compile after it"; bad <= len(edits) {
		e := edits[bad-1]
		r.Pass, r.Node, r.What = e.Pass, e.Node, e.String()
	}
	return r, nil
}

func (r *bisectReport) text(w io.Writer) error {
	var err error
	switch {
	case r.Edit < 0:
		_, err = fmt.Fprintf(w, "the fetches agree with the recorded ones after all %d edits\n", r.Edits)
	case r.Edit == 0:
		_, err = fmt.Fprintf(w, "the answers are wrong without any edit of an optional pass: %s\n", r.Then)
	default:
		_, err = fmt.Fprintf(w, "edit %d of %d is the first after which the answers are wrong (%d graphs compiled):\n  %s\n  %s\n"+
			"--fuel %d gives right answers, --fuel %d wrong ones\n", r.Edit, r.Edits, r.Runs, r.What, r.Then, r.Edit-1, r.Edit)
	}
	return err
}
