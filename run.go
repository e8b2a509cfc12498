package graphc

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/rt/save"
	"github.com/graphc/graphc/rt/tensor"
)

// InstanceOptions control what an Instance may do.
type InstanceOptions struct {
	// Files is the directory below which ops read and write files. If it is nil, ops cannot access
	// files. Ops that access files are compiled only with Options.AllowFiles. Files must stay open
	// until the instance is closed.
	Files *os.Root
	// NoInit skips the model's initialization, so that variables have no values until Restore sets
	// them.
	NoInit bool
}

// Instance is a program that runs in this process. An interpreter executes the compiled steps. The
// results are the same as those of the emitted package, but runs are slower. An Instance is safe for
// concurrent use; runs share its variables, tables and queues. Ops that print text print it to
// standard error, as in an emitted program.
type Instance struct {
	program *Program
	runs    map[string]*pipeline.Runner // by signature
	timeout time.Duration
	saved   *save.Checkpoint

	ctx   context.Context // canceled by Close
	end   context.CancelCauseFunc
	mu    sync.Mutex
	shut  bool
	under sync.WaitGroup // the runs in progress
}

// errClosed is the error of runs of a closed instance.
var errClosed = tensor.Errorf(tensor.Cancelled, "the instance has been closed")

// NewInstance creates an instance and runs the model's initialization. nil options mean the zero
// value. The caller must close the instance with Close.
//
// The error is an *Error. If a Go function that is given for an op is unsuitable, the error is the same
// as from Program.Files. If the initialization fails, the error contains the errors of its nodes. The
// other errors are the same as from Compile.
func (p *Program) NewInstance(ctx context.Context, o *InstanceOptions) (*Instance, error) {
	if o == nil {
		o = &InstanceOptions{}
	}
	c, err := p.running(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.checkGoOps(ctx); err != nil {
		return nil, err
	}
	p.model.opened()
	i, err := p.start(ctx, c, o)
	if err != nil {
		p.model.closed()
		return nil, diagnose(err, p.model.Path())
	}
	return i, nil
}

// running returns the compiled form of the program that all instances share. The first call creates
// it.
func (p *Program) running(ctx context.Context) (*compiled, error) {
	p.mu.Lock()
	had := p.runs
	p.mu.Unlock()
	if had != nil {
		return had, nil
	}
	c, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.runs == nil {
		p.runs = c
	}
	return p.runs, nil
}

func (p *Program) start(ctx context.Context, c *compiled, o *InstanceOptions) (*Instance, error) {
	kept := exec.State{}
	if !o.NoInit {
		var err error
		if kept, err = c.NewStateWith(ctx, o.Files); err != nil {
			return nil, err
		}
	}
	i := &Instance{program: p, runs: map[string]*pipeline.Runner{}, timeout: c.Defaults.Timeout}
	for _, s := range c.Signatures {
		r, err := s.RunnerWith(kept)
		if err != nil {
			return nil, err
		}
		if c.Defaults.MaxBytes > 0 {
			r.SetMaxBytes(c.Defaults.MaxBytes)
		}
		r.SetFiles(o.Files)
		i.runs[s.Name] = r
	}
	var err error
	if i.saved, err = c.Checkpoint(kept); err != nil {
		return nil, err
	}
	i.ctx, i.end = context.WithCancelCause(context.Background())
	return i, nil
}

// Run runs a signature. The keys of the map inputs are the keys of the signature, or tensor names such
// as x:0. The keys of the result are the keys of the signature. Run does not change the inputs, and the
// outputs share no memory with them. If ctx has run options (rt.WithRun), only rt.Observe and rt.Watch
// have an effect.
//
// The error has TensorFlow's code: NotFound for an unknown signature; InvalidArgument for inputs
// that are missing, unknown, or of another type or shape; DeadlineExceeded or Cancelled when ctx
// ends or the instance is closed; ResourceExhausted for more memory than Limits.RunBytes; and the
// errors of the graph's ops.
func (i *Instance) Run(ctx context.Context, signature string, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	b, err := i.bind(signature, inputs)
	if err != nil {
		return nil, err
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	got := b.Fetches()
	out := make(map[string]*tensor.Tensor, len(got))
	for k := range b.Signature.Fetches {
		f := &b.Signature.Fetches[k]
		key := f.Key
		if key == "" {
			key = f.Name
		}
		out[key] = got[f.Name]
	}
	return out, nil
}

// Close ends the instance: runs in progress end with Cancelled, and so does every later run. Close
// returns only when no run is in progress, so it must not be called within a run. Further calls only
// wait for these runs. The error is always nil.
func (i *Instance) Close() error {
	i.mu.Lock()
	had := i.shut
	i.shut = true
	i.mu.Unlock()
	if had {
		i.under.Wait()
		return nil
	}
	i.end(errClosed)
	i.under.Wait()
	i.program.model.closed()
	return nil
}

// enter counts a run as being in progress. If the instance is closed, it returns errClosed instead.
func (i *Instance) enter() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.shut {
		return errClosed
	}
	i.under.Add(1)
	return nil
}

// do calls f with a context derived from ctx. This context is also canceled when the instance is closed
// and after the instance's timeout.
func (i *Instance) do(ctx context.Context, f func(context.Context) error) error {
	if err := i.enter(); err != nil {
		return err
	}
	defer i.under.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(i.ctx, cancel)()
	if i.timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, i.timeout)
		defer stop()
	}
	err := f(ctx)
	if err != nil && i.ctx.Err() != nil {
		return errClosed
	}
	return err
}
