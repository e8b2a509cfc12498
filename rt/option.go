package rt

import (
	"os"
	"runtime"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// DefaultMaxBytes is what one run may take for its buffers unless WithMaxBytes says otherwise.
const DefaultMaxBytes = 4 << 30

type options struct {
	maxBytes    int
	concurrency int
	threads     int  // of loops
	own         bool // threads of the instance's own
	inter       int  // partitions and tasks that compute at once; 0: as many as the pool has threads
	pool        *ThreadPool
	named       *ThreadPool // of WithNamedPool, which holds it until the instance does
	timeout     time.Duration
	hooks       hooks
	extended    map[any]any // of Extend
	weights     string
	noInit      bool
	files       *os.Root
}

// Option changes how a model runs.
type Option func(*options) error

// WithMaxBytes bounds the memory for buffers of one run. A run that would take
// more ends with ResourceExhausted before it allocates.
func WithMaxBytes(n int) Option {
	return func(o *options) error {
		if n <= 0 {
			return tensor.Errorf(tensor.InvalidArgument, "WithMaxBytes(%d): the limit must be positive", n)
		}
		o.maxBytes = n
		return nil
	}
}

// TellMaxBytes has n be the limit of WithMaxBytes, or that which the model was compiled
// with, as the options before this one have it.
func TellMaxBytes(n *int) Option {
	return func(o *options) error {
		*n = o.maxBytes
		return nil
	}
}

// WithConcurrency bounds how many runs of one signature are under way at once,
// and with it the memory for buffers; further runs wait. A signature that takes
// several ranks keeps buffers for each that is used. The default is GOMAXPROCS
// when the model is made.
func WithConcurrency(n int) Option {
	return func(o *options) error {
		if n <= 0 {
			return tensor.Errorf(tensor.InvalidArgument, "WithConcurrency(%d): at least one run must be allowed", n)
		}
		o.concurrency = n
		return nil
	}
}

// WithThreads bounds how many threads one run uses: WithInterOp and WithIntraOp
// with the same number.
func WithThreads(n int) Option {
	return func(o *options) error {
		if n <= 0 || n > maxThreads {
			return tensor.Errorf(tensor.InvalidArgument, "WithThreads(%d): from 1 to %d threads are possible", n, maxThreads)
		}
		o.threads, o.inter, o.own = n, n, true
		return nil
	}
}

// WithIntraOp bounds how many threads share a loop over items. Runs that are under way at the
// same time do not add up: one of them has the helpers, the others work alone.
// The instance has helpers of its own then; by default instances share as many as there
// are processors for the process, GOMAXPROCS, and no more than the machine has: more are never used.
func WithIntraOp(n int) Option {
	return func(o *options) error {
		if n <= 0 || n > maxThreads {
			return tensor.Errorf(tensor.InvalidArgument, "WithIntraOp(%d): from 1 to %d threads are possible", n, maxThreads)
		}
		o.threads, o.own = n, true
		return nil
	}
}

// WithInterOp bounds how many partitions and tasks of a run compute at once; those
// that wait for another do not count. The default is what the pool has.
func WithInterOp(n int) Option {
	return func(o *options) error {
		if n <= 0 || n > maxThreads {
			return tensor.Errorf(tensor.InvalidArgument, "WithInterOp(%d): from 1 to %d threads are possible", n, maxThreads)
		}
		o.inter = n
		return nil
	}
}

// WithPool has the instance use the threads of p, which it shares with others. The
// pool is the caller's to close, after the model.
func WithPool(p *ThreadPool) Option {
	return func(o *options) error {
		if p == nil {
			return tensor.Errorf(tensor.InvalidArgument, "WithPool: the pool is nil")
		}
		o.pool = p
		return nil
	}
}

// WithNamedPool has the instance use the threads of NewPool(name, threads), until it is
// closed: those that all instances of the process with that name share, or threads of
// its own where the name is empty. WithPool after it goes before it.
func WithNamedPool(name string, threads int) Option {
	return func(o *options) error {
		p, err := NewPool(name, threads)
		if err != nil {
			return err
		}
		o.dropNamed()
		o.pool, o.named = p, p
		return nil
	}
}

// dropNamed ends what WithNamedPool began.
func (o *options) dropNamed() {
	if o.named != nil {
		o.named.drop()
		o.named = nil
	}
}

// WithTimeout ends each run that takes longer than d with DeadlineExceeded, the
// initialization too; the time it waits for its turn counts. The run returns
// when its kernel has ended. Timeout, for a run, goes before it; 0 is no bound.
func WithTimeout(d time.Duration) Option {
	return func(o *options) error {
		if d < 0 {
			return tensor.Errorf(tensor.InvalidArgument, "WithTimeout(%v): the time must not be negative", d)
		}
		o.timeout = d
		return nil
	}
}

// WithHook tells h of all runs, the initialization too.
func WithHook(h Hook) Option {
	return func(o *options) error {
		if h != nil {
			o.hooks = append(o.hooks, h)
		}
		return nil
	}
}

const maxThreads = 1024

// WithWeights names the weights file of a model whose weights are not embedded.
// Without it the file is looked for beside the executable, then in the working directory.
func WithWeights(path string) Option {
	return func(o *options) error {
		o.weights = path
		return nil
	}
}

// WithoutInit makes a model whose initialization is not run: its tables and
// variables are as they are made, for a program that fills them itself.
func WithoutInit() Option {
	return func(o *options) error {
		o.noInit = true
		return nil
	}
}

// WithFiles lets the model's ops that work on files, as those of checkpoints do, read and
// write them below this directory. Without it they end with PermissionDenied. Names that
// lead out of it, by symbolic links too, are refused. The directory is the caller's
// to close, after the last run.
func WithFiles(root *os.Root) Option {
	return func(o *options) error {
		o.files = root
		return nil
	}
}

// Extend has the instance keep a value of another package's under key, which is of a type of that
// package: change makes it of the one that options before have left, nil for none. Extension returns it.
func Extend(key any, change func(have any) (any, error)) Option {
	return func(o *options) error {
		v, err := change(o.extended[key])
		if err != nil {
			return err
		}
		if o.extended == nil {
			o.extended = map[any]any{}
		}
		o.extended[key] = v
		return nil
	}
}

// Extension returns the value of Extend, nil for none.
func (b *Base) Extension(key any) any { return b.opts.extended[key] }

func gather(opts []Option) (options, error) {
	o := options{maxBytes: defaultMax(), concurrency: runtime.GOMAXPROCS(0), threads: min(runtime.GOMAXPROCS(0), maxThreads)}
	for _, f := range opts {
		if err := f(&o); err != nil {
			o.dropNamed()
			return o, err
		}
	}
	switch {
	case o.pool != nil:
	case o.own:
		o.pool = newThreads("", o.threads)
	default:
		o.pool = shared(o.threads)
	}
	return o, nil
}

// defaultMax is DefaultMaxBytes where an int can hold it.
func defaultMax() int {
	n := int64(DefaultMaxBytes)
	const most = int64(^uint(0) >> 1)
	return int(min(n, most))
}
