// Package config reads graphc.yaml, which says what `graphc generate` builds.
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

// Config is a whole file. Field docs are the descriptions of the JSON schema.
type Config struct {
	Version     string  `yaml:"version" doc:"Version of this file's format; always \"1\"." required:"true"`
	OmitVersion bool    `yaml:"omit_version" doc:"Leave graphc's version out of the first line of generated files."`
	RuntimeDir  string  `yaml:"runtime_dir" doc:"Folder of the copies of the run time that the standalone packages share, in their module; each has copies of its own when absent."`
	Models      []Model `yaml:"models" doc:"The packages to generate, one a model."`
	Ops         []Op    `yaml:"ops" doc:"Ops whose kernels are Go functions of yours."`

	Path string `yaml:"-"` // of the file

	root ast.Node `yaml:"-"`
}

// Model is one package to generate. Paths are relative to the file's folder.
type Model struct {
	Path       Paths            `yaml:"path" doc:"GraphDef (.pb, .pbtxt), MetaGraphDef (.meta), SavedModel folder or tfjs model.json; a list of GraphDefs is merged into one graph." required:"true"`
	Out        string           `yaml:"out" doc:"Folder of the generated package; the file's own folder when absent."`
	Package    string           `yaml:"package" doc:"Name of the generated package; the folder's name when absent."`
	Main       bool             `yaml:"main" doc:"Generate a program instead of a package."`
	Example    bool             `yaml:"example" doc:"Generate a test file with an example of how the package is used, for go doc."`
	Runtime    string           `yaml:"runtime" doc:"Where the generated code finds its run time: auto imports the graphc module if the enclosing go.mod requires it, standalone copies what is needed." enum:"auto,import,standalone"`
	Arch       []string         `yaml:"arch" doc:"Processors, as amd64 and arm64, whose assembly a standalone package has copies of; others run Go code. All when absent."`
	Signatures []string         `yaml:"signatures" doc:"Signatures to compile; all of the model's when absent."`
	Tags       []string         `yaml:"tags" doc:"Tags of the SavedModel's meta graph; serve when absent."`
	Config     string           `yaml:"config" doc:"tf2xla.Config file that names feeds and fetches."`
	Checkpoint string           `yaml:"checkpoint" doc:"Prefix of the checkpoint that variables and tables begin with; a SavedModel's or a .meta's own when absent."`
	Feeds      []string         `yaml:"feeds" doc:"Tensors to feed, instead of a signature."`
	Fetches    []string         `yaml:"fetches" doc:"Tensors to fetch, instead of a signature."`
	Targets    []string         `yaml:"targets" doc:"Nodes to run for their effects, instead of a signature."`
	Calls      []Call           `yaml:"calls" doc:"Several signatures of one's own, which share one state, instead of the model's."`
	Init       []string         `yaml:"init" doc:"Nodes that a new instance runs once for their effects, besides those that the model names."`
	Shapes     map[string]Sizes `yaml:"shapes" doc:"Shapes of feeds, as \"1,224,224,3\" or a list; ? is an unknown size, a name one that feeds share."`
	Names      map[string]Names `yaml:"names" doc:"Names of your own for signatures, methods, feeds, fetches and fields, by the model's names of signatures."`
	Connect    []string         `yaml:"connect" doc:"Tensors that readers of other tensors read instead: a:0=y:0 gives a:0 to those of y:0."`

	Partial bool `yaml:"partial" doc:"Compile signatures so that they can be run in steps, which feed and fetch some tensors each."`

	AllowFiles bool `yaml:"allow_files" doc:"Compile ops that read and write files, below the directory that the program is given; they are refused otherwise."`

	// Where nodes run.
	Devices       []string `yaml:"devices" doc:"Devices to place nodes on, as cpu:0 and cpu:1; cpu:0 when absent."`
	SoftPlacement *bool    `yaml:"soft_placement" doc:"Run nodes elsewhere whose device does not exist, instead of refusing them."`
	PlacePruned   *bool    `yaml:"place_pruned" doc:"Place only what fetches and targets need, which is the default; false places the whole graph first."`
	SessionConfig string   `yaml:"session_config" doc:"TensorFlow ConfigProto file (.pbtxt, .pb) to take options from; the keys of this file win."`
	Cubin         []string `yaml:"cubin" doc:"Processors, as sm_80 and sm_90, that a program for GPUs has machine code for beside PTX; see graphc help build."`

	// How the graph is optimised and its weights are stored.
	Passes    *Passes `yaml:"passes" doc:"How graphs are optimised."`
	Weights   string  `yaml:"weights" enum:"f32,f16,bf16,int8" doc:"How the weights of products, convolutions and embedding tables are stored: f32, f16, bf16 or int8; f32 when not given."`
	ExactConv bool    `yaml:"exact_conv" doc:"Compute no convolution by Winograd's method, which is faster and less exact."`

	Limits *Limits `yaml:"limits" doc:"What an untrusted model may take of the compiler and of a run."`

	// What runs report, and what earlier runs reported.
	Profile       string   `yaml:"profile" doc:"File of what nodes cost, as graphc run --profile or a program's --profile writes it, for what is done side by side."`
	Watch         []string `yaml:"watch" doc:"Nodes whose outputs runs show to those that watch: dense/*, where * is any text and ? any character."`
	CheckNumerics bool     `yaml:"check_numerics" doc:"Have runs end with the first node that makes a NaN or an Inf."`

	// Methods are those of convolutions.
	Methods map[string]string `yaml:"methods" doc:"How convolutions are computed, direct or winograd, by node, where the estimate is not to decide; graphc build --tune measures and writes it."`
}

// Call is a signature of one's own.
type Call struct {
	Name    string           `yaml:"name" doc:"Name of the signature, which the Go method is named after." required:"true"`
	Feeds   []string         `yaml:"feeds" doc:"Tensors to feed."`
	Fetches []string         `yaml:"fetches" doc:"Tensors to fetch."`
	Targets []string         `yaml:"targets" doc:"Nodes to run for their effects."`
	Shapes  map[string]Sizes `yaml:"shapes" doc:"Shapes of feeds; those of the model's own key shapes hold too."`
	Partial bool             `yaml:"partial" doc:"Compile the signature so that it can be run in steps."`
}

// Names are those of one's own for a signature.
type Names struct {
	Name    string          `yaml:"name" doc:"Name of the signature, which the Go method is named after." short:"true"`
	Method  string          `yaml:"method" doc:"The Go method, where the name does not make it."`
	Feeds   map[string]Port `yaml:"feeds" doc:"Names for feeds, by key or tensor."`
	Fetches map[string]Port `yaml:"fetches" doc:"Names for fetches, by key or tensor."`
}

// Port are names of one's own for a feed or a fetch.
type Port struct {
	Key   string `yaml:"key" doc:"The key, which the Go field is named after." short:"true"`
	Field string `yaml:"field" doc:"The Go field, where the key does not make it."`
}

// Op is an op whose kernel is a Go function.
type Op struct {
	Op        string   `yaml:"op" doc:"Name of the op; one of TensorFlow's is replaced." required:"true"`
	Func      string   `yaml:"func" doc:"The Go function, as example.com/module/package.Name." required:"true"`
	Signature string   `yaml:"signature" doc:"Inputs, outputs and attributes, as (x:T) -> (y:T) {T:type in f32,f64}; those of TensorFlow's op of this name when absent."`
	Outputs   []string `yaml:"outputs" doc:"The outputs' shapes, as x, or 2*x[0],?; those of TensorFlow's op when absent."`
	Sizes     string   `yaml:"sizes" doc:"The Go function that tells the sizes that outputs leave open with ?."`
}

// GoOps returns the ops, nil where there are none.
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

// Passes says how graphs are optimised.
type Passes struct {
	NoOpt bool `yaml:"noopt" doc:"Leave the optional passes out."`
	Fuel  *int `yaml:"fuel" doc:"Edits the optional passes may make; any number when absent."`
}

// Paths is one path or a list of them.
type Paths []string

// Sizes is a shape: text, one number, or a list of numbers and names.
type Sizes string

// Load reads and checks the file at path. The error holds all of Problems.
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

// Resolve returns p as a path that does not depend on the current directory's
// relation to the file: relative paths are below the file's folder.
func (c *Config) Resolve(p string) string {
	if p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(filepath.Dir(c.Path), filepath.FromSlash(p))
}

// Problem is something wrong at a place in the file.
type Problem struct {
	Path         string
	Line, Column int
	Msg          string
}

// Error formats as graphc.yaml:12:5: message.
func (p Problem) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.Path, p.Line, p.Column, p.Msg)
}

// Problems is all that is wrong with a file, in the order of lines.
type Problems []Problem

// Error puts each problem on a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Sort sorts by lines and columns.
func (ps Problems) Sort() {
	sort.SliceStable(ps, func(i, j int) bool {
		if ps[i].Line != ps[j].Line {
			return ps[i].Line < ps[j].Line
		}
		return ps[i].Column < ps[j].Column
	})
}
