package graphc

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/graphc/graphc/codegen"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// Program is a compiled model. It may be used from several goroutines.
type Program struct {
	model    *Model
	options  Options
	warnings []*Diagnostic
	notes    []*Diagnostic
	sigs     []*rt.Signature
	devices  []string

	mu sync.Mutex
	// fresh is compiled and not used yet, runs is what instances run. Printing lays the memory of plans out and
	// changes them, so that each is done with plans of its own.
	fresh, runs *compiled
}

// Compile compiles a model; nil options are the zero value. The model is not changed.
//
// The error is an *Error with all that is wrong: ops that do not compile, each with its nodes, are Unimplemented and
// Unsupported; InvalidArgument and NotFound are for names, shapes and graphs that are wrong, ResourceExhausted for
// what is beyond a limit, PermissionDenied for ops that reach files without AllowFiles. When ctx ends, so does
// compiling, with its error.
func (m *Model) Compile(ctx context.Context, o *Options) (*Program, error) {
	if o == nil {
		o = &Options{}
	}
	p := &Program{model: m, options: o.clone()}
	p.options.Limits = p.options.Limits.or(m.limits)
	c, err := p.compile(ctx)
	if err != nil {
		return nil, err
	}
	p.fresh, p.warnings, p.notes = c, warnings(c.Warnings, m.Path()), notes(c.LeftOut, m.Path())
	for _, s := range c.Signatures {
		p.sigs = append(p.sigs, codegen.Signature(plansOf(s)))
	}
	p.devices = devicesOf(c.Program)
	if err := checkMethods(c.Program); err != nil {
		return nil, diagnose(err, m.Path())
	}
	return p, nil
}

// checkMethods returns an error where a method cannot have the name that the caller wants.
func checkMethods(p *pipeline.Program) error {
	err := codegen.CheckMethods(p.Plans())
	var wrong *codegen.MethodError
	if !errors.As(err, &wrong) {
		return err
	}
	declared := p.Signature(wrong.Signature).Declared
	return &pipeline.NameError{Path: []string{declared, "method"}, Err: tensor.Errorf(tensor.InvalidArgument, "%s: %s", wrong.Method, wrong.Why)}
}

// compiled is a program with the processor time that reading and compiling took.
type compiled struct {
	*pipeline.Program
	spent time.Duration
}

// compile compiles the model once more.
func (p *Program) compile(ctx context.Context) (*compiled, error) {
	o, err := p.options.engine()
	if err != nil {
		return nil, diagnose(err, "")
	}
	o.Context, o.GoOps, o.Spent = ctx, p.model.goOps, p.model.spent
	c, err := pipeline.CompileModel(p.model.m, o)
	if err != nil {
		return nil, diagnose(err, p.model.Path())
	}
	return &compiled{c, c.Deadline.Spent()}, nil
}

// take returns a program that nobody else uses.
func (p *Program) take(ctx context.Context) (*compiled, error) {
	p.mu.Lock()
	c := p.fresh
	p.fresh = nil
	p.mu.Unlock()
	if c != nil {
		return c, nil
	}
	o := p.options // has told of all of this
	o.Progress, o.LogPlacement, o.ExplainPlacement = nil, nil, nil
	quiet := &Program{model: p.model, options: o}
	return quiet.compile(ctx)
}

// Signatures returns what the program takes and gives, a signature each in the order of the model, or of the options.
// They are shared: do not change them.
func (p *Program) Signatures() []*rt.Signature { return slices.Clone(p.sigs) }

// Warnings says what of the options may not be what was meant. Their Code is OK.
func (p *Program) Warnings() []*Diagnostic { return slices.Clone(p.warnings) }

// Notes says what of the model is not part of the program although the options name nothing: of the two signatures that
// Keras exports for one function, serve is left out. Their Code is OK.
func (p *Program) Notes() []*Diagnostic { return slices.Clone(p.notes) }

// Devices returns the full names of the devices that nodes run on, in order; none where all run on one CPU.
func (p *Program) Devices() []string { return slices.Clone(p.devices) }

// devicesOf lists the devices of the partitions.
func devicesOf(p *pipeline.Program) []string {
	var names []string
	for _, pl := range p.Plans() {
		for _, part := range pl.Parts {
			names = append(names, part.Device)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// plansOf returns the plans of a signature, one a variant.
func plansOf(s *pipeline.Signature) []*plan.Plan {
	var plans []*plan.Plan
	for _, v := range s.Variants {
		plans = append(plans, v.Plan)
	}
	return plans
}

// within calls f, which works on what an untrusted graph was compiled to, within the time that the limits leave.
func (p *Program) within(ctx context.Context, spent time.Duration, f func() (map[string][]byte, error)) (map[string][]byte, error) {
	d := ir.In(ctx, p.options.Limits.WithDefaults().Time).After(spent)
	files, err := pipeline.Within(d, f)
	if err == nil {
		err = ctx.Err()
	}
	return files, err
}
