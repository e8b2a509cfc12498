// Package frontend reads TensorFlow models — GraphDefs, SavedModels, tfjs graph
// models, in binary, text or JSON — into ir. Input is not trusted: nothing is
// allocated before its size is checked, and no input panics.
package frontend

import (
	"context"
	"encoding/hex"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/tensor"
)

// Options tells what of a model to load, and how much of it.
type Options struct {
	// Tags are the SavedModel's meta graph's tags, all of them. Without tags the
	// meta graph tagged "serve" alone is taken, else the only one if it has no
	// tags or "serve" among them.
	Tags []string
	// Checkpoint is the prefix of the checkpoint that variables and tables have their
	// values from; "" is the one that comes with a SavedModel or a MetaGraphDef.
	Checkpoint string
	// Config is a tf2xla.Config file (.pbtxt or .pb) that names feeds and fetches.
	Config string
	// FS is where all files of the model lie, those of Checkpoint and Config too; nil: the file system. Names in it have
	// slashes.
	FS fs.FS
	// Limits bound what is read: Depth and Nodes count here.
	Limits ir.Limits
	// Deadline is when reading is to end; the zero Deadline is that of Limits.Time.
	Deadline ir.Deadline

	// Ops are those whose kernels are Go functions of the user's, by name.
	Ops map[string]*OwnOp

	splat int64 // most bytes of constants filled by repetition; 0: maxSplats
}

// Port is an input or an output of a signature.
type Port struct {
	Key    string // as the signature names it
	Tensor string // as the graph names it: serving_default_x:0
	DType  tensor.DType
	Shape  ir.PartialShape // as the signature declares it
}

// Signature is a way to call the graph. Ports are sorted by key.
type Signature struct {
	Name, Method    string
	Inputs, Outputs []Port
	Targets         []string // nodes to run for their effects
}

// Model is a loaded model.
type Model struct {
	Path   string
	Kind   string // graphdef, metagraph, saved_model or tfjs
	SHA256 string // of the model's defining bytes
	// Graph is the main graph with its Library. Attributes the file left out
	// have their defaults; Outs has a Fact for each output with its DType.
	// The library holds the functions whose bodies are sound, those with
	// attributes of their own once for each set of values they are called with.
	Graph *ir.Graph
	// Broken tells what is wrong with the functions that are not in the
	// library. Whoever runs nodes asks CheckReached about them.
	Broken     map[string]error
	Signatures []Signature // sorted by name
	// OpSignatures are those by which TensorFlow 2 names the op that initializes a
	// SavedModel and the one that trains it: nobody calls them unless by name.
	OpSignatures []Signature
	// BrokenSignatures tells what is wrong with the signatures that are not in
	// Signatures; serving_default is never among them, nor are all of them.
	BrokenSignatures map[string]error
	Assets           map[string]*Asset // by the name of the tensor that is to hold the file's
	InitOps          []string          // nodes to run once before the first call

	disk       disk
	sources    []source
	checkpoint *bundle.Reader
	restore    map[string]restored    // variable node → where its value is
	tables     map[string][2]restored // table node → where its keys and values are
	unloaded   map[string]unloaded    // node → its state in the checkpoint that nothing loads
	objects    map[string]string      // a variable's full name → its key in the checkpoint
	bound      map[string]string      // a variable's node → the key of the object that functions take in its place
	given      map[string]bool        // keys in the checkpoint that the restore graph gives to variables
}

// source is a graph as read, with the file's name for messages.
type source struct {
	file string
	def  *pb.GraphDef
}

// Load reads a model: a GraphDef (.pb, .pbtxt), several of them merged into one
// graph, a MetaGraphDef (.meta), a SavedModel's folder, or a tfjs graph model (model.json). An error of
// the model itself is Errors, with all that is wrong.
func Load(paths []string, o Options) (*Model, error) {
	if len(paths) == 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "no model is given")
	}
	if o.Limits = o.Limits.WithDefaults(); o.Deadline.IsZero() {
		o.Deadline = ir.In(context.Background(), o.Limits.Time)
	}
	m, err := load(paths, o)
	if err != nil {
		return nil, err
	}
	if o.Config != "" {
		if err := m.readConfig(o); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func load(paths []string, o Options) (*Model, error) {
	d := disk{o.FS}
	if len(paths) == 1 {
		st, err := d.stat(paths[0])
		if err != nil {
			return nil, files.Error(err)
		}
		base := filepath.Base(paths[0])
		switch {
		case st.IsDir() && d.exists(filepath.Join(paths[0], "model.json")) && !d.isSavedModel(paths[0]):
			return loadTFJS(filepath.Join(paths[0], "model.json"), d.readIn, o)
		case st.IsDir():
			return loadSavedModel(paths[0], d.readIn, o)
		case base == "saved_model.pb" || base == "saved_model.pbtxt":
			return loadSavedModel(filepath.Dir(paths[0]), d.named, o)
		case strings.HasSuffix(base, ".json"):
			return loadTFJS(paths[0], d.named, o)
		case isMetaGraph(base):
			return loadMetaGraph(paths[0], o)
		}
	}
	return loadGraphDefs(paths, o)
}

func loadGraphDefs(paths []string, o Options) (*Model, error) {
	m := &Model{Path: paths[0], Kind: "graphdef", disk: disk{o.FS}}
	h := ir.NewHash()
	for _, p := range paths {
		raw, err := m.disk.readFile(p)
		if err != nil {
			return nil, err
		}
		h.Write(raw)
		def := &pb.GraphDef{}
		if err := unmarshal(p, raw, def, o.Limits.Depth); err != nil {
			return nil, err
		}
		m.sources = append(m.sources, source{filepath.Base(p), def})
	}
	if err := m.build(o); err != nil {
		return nil, err
	}
	m.walkRestore(nil)
	if err := m.useCheckpoint(o.Checkpoint, h); err != nil {
		return nil, err
	}
	m.SHA256 = hex.EncodeToString(h.Sum(nil))
	return m, nil
}
