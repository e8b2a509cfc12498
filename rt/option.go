package rt

import (
	"os"
	"runtime"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// DefaultMaxBytes is the limit in bytes for the buffers of one run, unless WithMaxBytes changes
// it.
const DefaultMaxBytes = 4 << 30

type options struct {
	maxBytes    int
	concurrency int
	microBatch  int // 0 if the run chooses it
	threads     int // for loops
	// whether the instance has threads that no other instance uses
	own bool
	// how many partitions and tasks may compute at the same time; 0 means the pool's number of
	// threads
	inter int
	pool  *ThreadPool
	// the pool of WithNamedPool; the options count as a user of this pool until Open has made the
	// instance a user
	named    *ThreadPool
	timeout  time.Duration
	hooks    hooks
	extended map[any]any // the values that Extend has set, by key
	weights  string
	noInit   bool
	files    *os.Root
}

// Option changes how a model runs.
type Option func(*options) error

// WithMaxBytes bounds the memory for buffers of one run to n bytes. A run that needs more ends
// with ResourceExhausted before it allocates. n must be positive.
func WithMaxBytes(n int) Option {
	return func(o *options) error {
		if n <= 0 {
			return tensor.Errorf(tensor.InvalidArgument, "WithMaxBytes(%d): the limit must be positive", n)
		}
		o.maxBytes = n
		return nil
	}
}

// TellMaxBytes stores in n the limit that the preceding options have set: the limit of
// WithMaxBytes, or the default with which the model was compiled.
func TellMaxBytes(n *int) Option {
	return func(o *options) error {
		*n = o.maxBytes
		return nil
	}
}

// WithConcurrency bounds how many runs of one signature are in progress at the same time, and so
// bounds the memory for buffers. Further runs wait. A signature that accepts several ranks keeps
// buffers for each rank that is used. The default is the value of GOMAXPROCS when the instance is
// created.
func WithConcurrency(n int) Option {
	return func(o *options) error {
		if n <= 0 {
			return tensor.Errorf(tensor.InvalidArgument, "WithConcurrency(%d): at least one run must be allowed", n)
		}
		o.concurrency = n
		return nil
	}
}

// WithMicroBatch sets how many items of a batch a run computes at a time. It applies to signatures
// that compute each item of a batch by itself, such as inference of an image classifier. A number as
// large as the batch means that the batch is computed at once. The results for an item may differ in
// the last bits between batches of different sizes. If n is 0, which is the default, the run chooses
// the number so that its buffers fit into the processor's caches.
func WithMicroBatch(n int) Option {
	return func(o *options) error {
		if n < 0 {
			return tensor.Errorf(tensor.InvalidArgument, "WithMicroBatch(%d): the number of items must not be negative", n)
		}
		o.microBatch = n
		return nil
	}
}

// WithThreads bounds how many threads one run uses. It has the same effect as both WithInterOp and
// WithIntraOp with the number n.
func WithThreads(n int) Option {
	return func(o *options) error {
		if n <= 0 || n > maxThreads {
			return tensor.Errorf(tensor.InvalidArgument, "WithThreads(%d): from 1 to %d threads are possible", n, maxThreads)
		}
		o.threads, o.inter, o.own = n, n, true
		return nil
	}
}

// WithIntraOp bounds how many threads share a loop over items, and gives the instance its own
// helper threads. Concurrent runs share these helpers: at any time one of the runs uses them, and
// the other runs use only their own thread. By default all instances share GOMAXPROCS threads. No
// instance uses more threads than the machine has processors, or than the process's quota of
// processor time allows.
func WithIntraOp(n int) Option {
	return func(o *options) error {
		if n <= 0 || n > maxThreads {
			return tensor.Errorf(tensor.InvalidArgument, "WithIntraOp(%d): from 1 to %d threads are possible", n, maxThreads)
		}
		o.threads, o.own = n, true
		return nil
	}
}

// WithInterOp bounds how many partitions and tasks of a run compute at once. Partitions that wait
// for another one do not count. The default is the number of threads of the pool.
func WithInterOp(n int) Option {
	return func(o *options) error {
		if n <= 0 || n > maxThreads {
			return tensor.Errorf(tensor.InvalidArgument, "WithInterOp(%d): from 1 to %d threads are possible", n, maxThreads)
		}
		o.inter = n
		return nil
	}
}

// WithPool makes the instance use the threads of p, which other instances may share. The caller
// must close p after the model.
func WithPool(p *ThreadPool) Option {
	return func(o *options) error {
		if p == nil {
			return tensor.Errorf(tensor.InvalidArgument, "WithPool: the pool is nil")
		}
		o.pool = p
		return nil
	}
}

// WithNamedPool makes the instance use the threads of NewPool(name, threads) until the instance is
// closed. All instances of the process that give the same name share these threads. With an empty
// name the instance has separate threads. A later WithPool overrides WithNamedPool.
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

// dropNamed releases the pool of WithNamedPool.
func (o *options) dropNamed() {
	if o.named != nil {
		o.named.drop()
		o.named = nil
	}
}

// WithTimeout ends each run that takes longer than d with DeadlineExceeded. The initialization
// counts as a run. The time includes the wait for other runs that WithConcurrency requires. A run
// that has exceeded the time returns when its current kernel has ended. The run option Timeout
// overrides WithTimeout. A d of 0 means no limit.
func WithTimeout(d time.Duration) Option {
	return func(o *options) error {
		if d < 0 {
			return tensor.Errorf(tensor.InvalidArgument, "WithTimeout(%v): the time must not be negative", d)
		}
		o.timeout = d
		return nil
	}
}

// WithHook makes h observe all runs, including the initialization.
func WithHook(h Hook) Option {
	return func(o *options) error {
		if h != nil {
			o.hooks = append(o.hooks, h)
		}
		return nil
	}
}

const maxThreads = 1024

// WithWeights sets the path of the weights file, for a model whose weights are not embedded. By
// default the model looks for the file beside the executable, then in the working directory.
func WithWeights(path string) Option {
	return func(o *options) error {
		o.weights = path
		return nil
	}
}

// WithoutInit creates a model without running its initialization. The model's tables and variables
// stay in the state before the initialization, for a program that sets them itself.
func WithoutInit() Option {
	return func(o *options) error {
		o.noInit = true
		return nil
	}
}

// WithFiles allows the model's ops that work on files, such as those of checkpoints, to read and
// write files below root. Without this option these ops end with PermissionDenied. A name that
// leads out of root, directly or through a symbolic link, is refused. The caller must close root
// after the last run.
func WithFiles(root *os.Root) Option {
	return func(o *options) error {
		o.files = root
		return nil
	}
}

// Extend makes the instance keep a value of another package under a key. The type of the key must
// belong to that package. The function change gets the value that earlier options left, or nil, and
// returns the new value. Base.Extension returns the value.
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

// Extension returns the value that Extend keeps under the key, or nil.
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

// defaultMax is DefaultMaxBytes, or the largest int where that is smaller.
func defaultMax() int {
	n := int64(DefaultMaxBytes)
	const most = int64(^uint(0) >> 1)
	return int(min(n, most))
}
