// Package config reads graphc.yaml, which lists the packages that `graphc generate` builds.
package config

import (
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/graphc/graphc/internal/goop"
	"github.com/graphc/graphc/rt/files"
)

// FileName is the file that `graphc` looks for in the current directory.
const FileName = "graphc.yaml"

// Version is the value of the version key that this package reads.
const Version = "1"

// Config has the contents of graphc.yaml. The tag "doc" of a field is its description in the JSON
// schema.
type Config struct {
	Version     string  `yaml:"version" doc:"Version of this file's format; always \"1\"." required:"true"`
	OmitVersion bool    `yaml:"omit_version" doc:"Omit graphc's version from the first line of generated files."`
	RuntimeDir  string  `yaml:"runtime_dir" doc:"Folder in the packages' module for one copy of the run time that all standalone packages share; by default each has its own copy."`
	Models      []Model `yaml:"models" doc:"The packages to generate, one for each model."`
	Ops         []Op    `yaml:"ops" doc:"Ops whose kernels are Go functions that you wrote."`

	Path string `yaml:"-"` // of the file

	root ast.Node `yaml:"-"`
}

// Model is one package to generate. Relative paths start at the folder of graphc.yaml.
type Model struct {
	Path       Paths            `yaml:"path" doc:"GraphDef (.pb, .pbtxt), MetaGraphDef (.meta), SavedModel folder or tfjs model.json; a list of GraphDefs is merged into one graph." required:"true"`
	Out        string           `yaml:"out" doc:"Folder of the generated package; default: the folder of this file."`
	Package    string           `yaml:"package" doc:"Name of the generated package; default: the folder's name."`
	Main       bool             `yaml:"main" doc:"Generate a program instead of a package."`
	Example    bool             `yaml:"example" doc:"Generate a test file with an example that uses the package, for go doc."`
	Runtime    string           `yaml:"runtime" doc:"Where the generated code gets its run time from: import uses the graphc module, standalone copies the required packages, auto imports if the enclosing go.mod requires the graphc module and copies otherwise." enum:"auto,import,standalone"`
	Arch       []string         `yaml:"arch" doc:"Processors, such as amd64 and arm64, whose assembly a standalone package contains; others run Go code. Default: all."`
	Signatures []string         `yaml:"signatures" doc:"Signatures to compile; default: all of the model's."`
	Tags       []string         `yaml:"tags" doc:"Tags of the SavedModel's meta graph; default: serve."`
	Config     string           `yaml:"config" doc:"tf2xla.Config file that names feeds and fetches."`
	Checkpoint string           `yaml:"checkpoint" doc:"Prefix of the checkpoint with the initial values of variables and tables; default: the SavedModel's or .meta's own."`
	Feeds      []string         `yaml:"feeds" doc:"Tensors to feed, instead of a signature."`
	Fetches    []string         `yaml:"fetches" doc:"Tensors to fetch, instead of a signature."`
	Targets    []string         `yaml:"targets" doc:"Nodes to run for their effects, instead of a signature."`
	Calls      []Call           `yaml:"calls" doc:"Signatures that you define instead of the model's. They share one state."`
	Init       []string         `yaml:"init" doc:"Nodes that a new instance runs once for their effects, after the model's own initialization."`
	Shapes     map[string]Sizes `yaml:"shapes" doc:"Shapes of feeds, such as \"1,224,224,3\" or a list; ? is an unknown size, a name an unknown size that feeds share."`
	Names      map[string]Names `yaml:"names" doc:"Your names for signatures, methods, feeds, fetches and fields, keyed by the model's signature names."`
	Connect    []string         `yaml:"connect" doc:"Replace uses of one tensor by another: a:0=y:0 makes users of y:0 read a:0."`

	Partial bool `yaml:"partial" doc:"Compile signatures as partial runs, whose steps each feed and fetch some of the tensors."`

	AllowFiles bool `yaml:"allow_files" doc:"Compile ops that read and write files below the directory that the program opens; by default they are errors."`

	// Placement.
	Devices       []string `yaml:"devices" doc:"Devices to place nodes on, such as cpu:0 and cpu:1; default: cpu:0."`
	SoftPlacement *bool    `yaml:"soft_placement" doc:"Place nodes whose device does not exist on another one; by default they are errors."`
	PlacePruned   *bool    `yaml:"place_pruned" doc:"Place only nodes that fetches and targets need (default: true); false places the whole graph first."`
	SessionConfig string   `yaml:"session_config" doc:"TensorFlow ConfigProto file (.pbtxt, .pb) to take options from; the keys of this file win."`
	Cubin         []string `yaml:"cubin" doc:"GPU processors, such as sm_80 and sm_90, for which a program has machine code besides PTX; see graphc help build."`

	// How graphs are optimized, and how weights are stored.
	Passes    *Passes `yaml:"passes" doc:"Optimization of graphs."`
	Weights   string  `yaml:"weights" enum:"f32,f16,bf16,int8" doc:"Format in which weights of products, convolutions and embedding tables are stored: f32, f16, bf16 or int8; default: f32."`
	ExactConv bool    `yaml:"exact_conv" doc:"Never compute convolutions by Winograd's method, which is faster and less exact."`

	Limits *Limits `yaml:"limits" doc:"Bounds on what an untrusted model may use while it is compiled and run."`

	// Reports of runs.
	Profile       string   `yaml:"profile" doc:"File with the measured costs of nodes, written by graphc run --profile or a program's --profile. It decides what runs in parallel."`
	Watch         []string `yaml:"watch" doc:"Nodes whose outputs runs show to watchers, such as dense/*, where * is any text and ? any character."`
	CheckNumerics bool     `yaml:"check_numerics" doc:"End runs at the first node that computes a NaN or an Inf."`

	// Methods maps nodes that are convolutions to the methods that compute them.
	Methods map[string]string `yaml:"methods" doc:"Methods of convolutions, direct or winograd, by node; the others are estimated. graphc build --tune measures and writes them."`
}

// Call is a signature that the user defines.
type Call struct {
	Name    string           `yaml:"name" doc:"Name of the signature; the Go method is derived from it." required:"true"`
	Feeds   []string         `yaml:"feeds" doc:"Tensors to feed."`
	Fetches []string         `yaml:"fetches" doc:"Tensors to fetch."`
	Targets []string         `yaml:"targets" doc:"Nodes to run for their effects."`
	Shapes  map[string]Sizes `yaml:"shapes" doc:"Shapes of feeds, in addition to the model's key shapes."`
	Partial bool             `yaml:"partial" doc:"Compile the signature as a partial run."`
}

// Names are the user's names for a signature.
type Names struct {
	Name    string          `yaml:"name" doc:"Name of the signature; the Go method is derived from it." short:"true"`
	Method  string          `yaml:"method" doc:"The Go method; default: derived from the name."`
	Feeds   map[string]Port `yaml:"feeds" doc:"Names for feeds, by key or tensor."`
	Fetches map[string]Port `yaml:"fetches" doc:"Names for fetches, by key or tensor."`
}

// Port has the user's names for one feed or one fetch.
type Port struct {
	Key   string `yaml:"key" doc:"The key; the Go field is derived from it." short:"true"`
	Field string `yaml:"field" doc:"The Go field; default: derived from the key."`
}

// Op is an op whose kernel is a Go function.
type Op struct {
	Op        string   `yaml:"op" doc:"Name of the op; an op of TensorFlow with this name is replaced." required:"true"`
	Func      string   `yaml:"func" doc:"The Go function, such as example.com/module/package.Name." required:"true"`
	Signature string   `yaml:"signature" doc:"Inputs, outputs and attributes, such as (x:T) -> (y:T) {T:type in f32,f64}; default: those of TensorFlow's op of this name."`
	Outputs   []string `yaml:"outputs" doc:"Shapes of the outputs, such as x or 2*x[0],?; default: those of TensorFlow's op."`
	Sizes     string   `yaml:"sizes" doc:"The Go function that computes the sizes given as ? in outputs."`
}

// GoOps returns the ops that the file declares, or nil if it declares none.
func (c *Config) GoOps() (*goop.Set, error) {
	if len(c.Ops) == 0 {
		return nil, nil
	}
	specs := make([]goop.Spec, len(c.Ops))
	for i, o := range c.Ops {
		specs[i] = goop.Spec(o)
	}
	s, err := goop.New(filepath.Dir(c.Path), specs)
	return s.Declared(c.Path), err
}

// Passes selects how graphs are optimized.
type Passes struct {
	NoOpt bool `yaml:"noopt" doc:"Exclude the optional passes."`
	Fuel  *int `yaml:"fuel" doc:"Number of edits that optional passes may make; default: unlimited."`
}

// Paths is one path or a list of them.
type Paths []string

// Sizes is the text of a shape, such as "1,224,?,3". In the file, a shape may also be one number,
// or a list of numbers and names.
type Sizes string

// Load reads and checks the file at path. If the file is invalid, the error has the type Problems.
func Load(path string) (*Config, error) {
	data, err := files.ReadFile(path, maxSize)
	if err != nil {
		return nil, err
	}
	c, err := Parse(path, data)
	if err != nil {
		return nil, err
	}
	c.Path = path
	return c, nil
}

// Resolve returns the path p, which is from graphc.yaml, in a form that is valid in the current
// directory. A relative p starts at the folder of graphc.yaml.
func (c *Config) Resolve(p string) string {
	if p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(filepath.Dir(c.Path), filepath.FromSlash(p))
}

// Problem is an error at a position in the file.
type Problem struct {
	Path         string
	Line, Column int
	Msg          string
}

// Error returns the position and the message, such as "graphc.yaml:12:5: unknown key".
func (p Problem) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.Path, p.Line, p.Column, p.Msg)
}

// Problems lists all errors of a file, sorted by line.
type Problems []Problem

// Error returns one line for each problem.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Sort sorts the problems by line, and those of the same line by column.
func (ps Problems) Sort() {
	sort.SliceStable(ps, func(i, j int) bool {
		if ps[i].Line != ps[j].Line {
			return ps[i].Line < ps[j].Line
		}
		return ps[i].Column < ps[j].Column
	})
}
