package graphc

import (
	"context"
	"sync"
	"time"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/goop"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// LoadOptions control which parts of a model Load reads. The zero value reads all of it.
type LoadOptions struct {
	// More are further GraphDef files. They are merged into the first file, as TensorFlow extends a
	// graph.
	More []string
	// Tags are all the tags of the SavedModel's meta graph. If there are none, the meta graph whose
	// only tag is serve is read.
	Tags []string
	// Config is a file with a tf2xla.Config, text or binary, that names feeds and fetches. They become the model's only
	// signature, which has no name.
	Config string
	// Checkpoint is the prefix of the checkpoint with the initial values of variables and tables.
	// If it is "", the checkpoint that comes with a SavedModel or a MetaGraphDef is read.
	Checkpoint string
	// GoOps are ops whose kernels are Go functions that the caller wrote. GoOpsDir is the folder
	// whose module resolves the functions' packages. GoOpsFile is the file that declares the ops,
	// if there is one; error messages name this file. The functions' declarations are checked
	// before use. An Instance calls the functions in a program that the go command builds.
	GoOps     []GoOp
	GoOpsDir  string
	GoOpsFile string
	// Limits bound what Load reads. They also apply to compiling, where Options.Limits sets no
	// limit.
	Limits Limits
}

// GoOp is an op whose kernel is a Go function; see docs/go-ops.md.
type GoOp struct {
	// Op is the name of the op. If TensorFlow has an op of this name, it is replaced.
	Op string
	// Func is the function in the form example.com/module/package.Name.
	Func string
	// Signature defines the inputs, outputs and attributes, as "(x:T) -> (y:T) {T:type in
	// f32,f64}". If it is "", the signature of TensorFlow's op of this name is used.
	Signature string
	// Outputs are the outputs' shapes, in forms such as "x" or "2*x[0],?". If there are none, the
	// shapes are inferred as for TensorFlow's op.
	Outputs []string
	// Sizes is the Go function that returns the sizes written as ? in Outputs. It is "" if there
	// are no such sizes.
	Sizes string
}

// Model is a loaded model. It is safe for concurrent use.
type Model struct {
	m      *frontend.Model
	goOps  *goop.Set
	limits Limits
	name   string        // the name in emitted files
	spent  time.Duration // processor time spent on reading

	mu   sync.Mutex
	open int // number of open instances that may call Go functions
}

// Load reads a model from the file system: a GraphDef (.pb, .pbtxt), a MetaGraphDef (.meta), the
// folder of a SavedModel, or a tfjs graph model (model.json, or its folder). The files that the
// model refers to must be in its folder, and no symbolic link may lead out of it. nil options mean
// the zero value. Variables and assets are read when the model is compiled. A Program may also
// compile the model again later, when it needs separate plans. Therefore the files must not change.
//
// The error is an *Error with all errors that were found: NotFound for a missing file,
// InvalidArgument for a file that is not a model, Unimplemented for a model in another program's
// format, and ResourceExhausted for a model that exceeds a limit or 2 GiB. For a model in another
// program's format, the error also gives the command that converts it.
func Load(ctx context.Context, path string, o *LoadOptions) (*Model, error) {
	return load(ctx, path, o, frontend.Options{})
}

// load reads a model; fo holds those options of the frontend that callers of this package cannot
// set.
func load(ctx context.Context, path string, o *LoadOptions, fo frontend.Options) (*Model, error) {
	if o == nil {
		o = &LoadOptions{}
	}
	m := &Model{limits: o.Limits, name: modelName(path, fo.FS != nil)}
	err := o.Limits.check()
	if err == nil {
		m.goOps, err = goOps(o)
	}
	if err != nil {
		return nil, diagnose(err, path)
	}
	fo.Tags, fo.Config, fo.Checkpoint, fo.Ops, fo.Limits = o.Tags, o.Config, o.Checkpoint, m.goOps.Ops(), ir.Limits(o.Limits)
	fo.Deadline = ir.In(ctx, o.Limits.WithDefaults().Time)
	if m.m, err = pipeline.LoadIn(ctx, append([]string{path}, o.More...), fo); err != nil {
		return nil, diagnose(err, path)
	}
	m.spent = fo.Deadline.Spent()
	return m, nil
}

// goOps converts the ops with Go functions. It returns nil if there are none.
func goOps(o *LoadOptions) (*goop.Set, error) {
	if len(o.GoOps) == 0 {
		return nil, nil
	}
	specs := make([]goop.Spec, len(o.GoOps))
	for i, g := range o.GoOps {
		specs[i] = goop.Spec(g)
	}
	dir := o.GoOpsDir
	if dir == "" {
		dir = "."
	}
	s, err := goop.New(dir, specs)
	if err != nil {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%v", err)
	}
	return s.Declared(o.GoOpsFile), nil
}

// Path returns the path or name from which the model was loaded.
func (m *Model) Path() string { return m.m.Path }

// Kind returns "graphdef", "metagraph", "saved_model" or "tfjs".
func (m *Model) Kind() string { return m.m.Kind }

// SHA256 returns the checksum, in hex, of the bytes that define the model.
func (m *Model) SHA256() string { return m.m.SHA256 }

// Signatures returns the names of the model's signatures in order. A plain graph has none.
func (m *Model) Signatures() []string {
	var names []string
	for _, s := range m.m.Signatures {
		names = append(names, s.Name)
	}
	return names
}

// opened records that an instance may call Go functions, and closed records that the instance no
// longer calls them. When the last such instance is closed, the program that calls the functions
// ends.
func (m *Model) opened() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open++
}

func (m *Model) closed() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open--; m.open == 0 {
		m.goOps.Close()
	}
}
