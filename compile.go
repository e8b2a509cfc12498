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

// Program is a compiled model. It is safe for concurrent use.
type Program struct {
	model    *Model
	options  Options
	warnings []*Diagnostic
	notes    []*Diagnostic
	sigs     []*rt.Signature
	devices  []string

	mu sync.Mutex
	// fresh is the result of a compilation that nothing has used yet. The result that all instances
	// share is in the field runs. The method Files needs a separate result, because it assigns places
	// in memory to the buffers of the plans, and so changes the plans.
	fresh, runs *compiled
}

// Compile compiles a model; nil options mean the zero value. The model is not changed.
//
// The error is an *Error with all errors that were found. For each op that does not compile, it has a
// Diagnostic with the code Unimplemented and the op's nodes, and with Unsupported set. The code is
// InvalidArgument or NotFound for invalid names, shapes and graphs, ResourceExhausted for exceeded
// limits, and PermissionDenied for ops that access files without AllowFiles. If ctx ends, Compile
// returns the error of ctx.
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

// checkMethods returns an error if a Go method cannot have the name that the caller chose.
func checkMethods(p *pipeline.Program) error {
	err := codegen.CheckMethods(p.Plans())
	var wrong *codegen.MethodError
	if !errors.As(err, &wrong) {
		return err
	}
	declared := p.Signature(wrong.Signature).Declared
	return &pipeline.NameError{Path: []string{declared, "method"}, Err: tensor.Errorf(tensor.InvalidArgument, "%s: %s", wrong.Method, wrong.Why)}
}

// compiled is a compiled program, and the processor time that was spent on reading and compiling
// the model.
type compiled struct {
	*pipeline.Program
	spent time.Duration
}

// compile compiles the model with the program's options.
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

// take returns a program for exclusive use by the caller. It returns the program in the field fresh
// if there is one; otherwise it compiles the model again.
func (p *Program) take(ctx context.Context) (*compiled, error) {
	p.mu.Lock()
	c := p.fresh
	p.fresh = nil
	p.mu.Unlock()
	if c != nil {
		return c, nil
	}
	// drop the callbacks, because the first compilation has already called them
	o := p.options
	o.Progress, o.LogPlacement, o.ExplainPlacement = nil, nil, nil
	quiet := &Program{model: p.model, options: o}
	return quiet.compile(ctx)
}

// Signatures returns the program's signatures, in the order of the model or of the options. All
// callers get the same signatures, so they must not be changed.
func (p *Program) Signatures() []*rt.Signature { return slices.Clone(p.sigs) }

// Warnings returns a diagnostic, with the Code OK, for each option whose effect is probably not the
// one that the caller intended.
func (p *Program) Warnings() []*Diagnostic { return slices.Clone(p.warnings) }

// Notes returns a diagnostic, with the Code OK, for each part of the model that is omitted although
// the options do not say so. The only such part is the signature "serve". It is omitted if Keras
// exported it for the same function as the signature "serving_default".
func (p *Program) Notes() []*Diagnostic { return slices.Clone(p.notes) }

// Devices returns the sorted full names of the devices on which nodes run, or none if all run on
// one CPU.
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

// plansOf returns the plans of a signature, one for each variant.
func plansOf(s *pipeline.Signature) []*plan.Plan {
	var plans []*plan.Plan
	for _, v := range s.Variants {
		plans = append(plans, v.Plan)
	}
	return plans
}

// within calls f and limits its time. The function f processes the result of an untrusted graph. It
// therefore gets only the part of Limits.Time that remains after the time spent.
func (p *Program) within(ctx context.Context, spent time.Duration, f func() (map[string][]byte, error)) (map[string][]byte, error) {
	d := ir.In(ctx, p.options.Limits.WithDefaults().Time).After(spent)
	files, err := pipeline.Within(d, f)
	if err == nil {
		err = ctx.Err()
	}
	return files, err
}
