package rt

import (
	"os"
	"runtime"

	"github.com/graphc/graphc/rt/tensor"
)

// DefaultMaxBytes is what one run may take for its buffers unless WithMaxBytes says otherwise.
const DefaultMaxBytes = 4 << 30

type options struct {
	maxBytes    int
	concurrency int
	threads     int
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

// WithThreads bounds how many threads one run uses. Runs that are under way at the
// same time do not add up: one of them has the helpers, the others work alone.
// The default is GOMAXPROCS when the model is made; more than that only slows runs down.
func WithThreads(n int) Option {
	return func(o *options) error {
		if n <= 0 || n > maxThreads {
			return tensor.Errorf(tensor.InvalidArgument, "WithThreads(%d): from 1 to %d threads are possible", n, maxThreads)
		}
		o.threads = n
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

// WithFiles lets the model's ops that save and restore checkpoints read and write
// files below this directory. Without it they end with PermissionDenied. Names that
// lead out of it, by symbolic links too, are refused. The directory is the caller's
// to close, after the last run.
func WithFiles(root *os.Root) Option {
	return func(o *options) error {
		o.files = root
		return nil
	}
}

func gather(opts []Option) (options, error) {
	o := options{maxBytes: defaultMax(), concurrency: runtime.GOMAXPROCS(0), threads: min(runtime.GOMAXPROCS(0), maxThreads)}
	for _, f := range opts {
		if err := f(&o); err != nil {
			return o, err
		}
	}
	return o, nil
}

// defaultMax is DefaultMaxBytes where an int can hold it.
func defaultMax() int {
	n := int64(DefaultMaxBytes)
	const most = int64(^uint(0) >> 1)
	return int(min(n, most))
}
