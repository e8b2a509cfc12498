// Package frontend reads TensorFlow models — GraphDefs, SavedModels, tfjs graph
// models, in binary, text or JSON — into ir. Input is not trusted: nothing is
// allocated before its size is checked, and no input panics.
package frontend

import (
	"context"
	"encoding/hex"
	"io/fs"
	"path/filepath"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/tensor"
)

// Options control which parts of a model Load reads, and its limits.
type Options struct {
	// Tags are all the tags of the SavedModel's meta graph to read. Without Tags, Load reads the
	// meta graph whose only tag is "serve". If no meta graph has only this tag, the SavedModel must
	// have a single meta graph, which must have either no tags or the tag "serve" among others.
	Tags []string
	// Checkpoint is the prefix of the checkpoint for the values of variables and tables; "" selects
	// the checkpoint that comes with a SavedModel or a MetaGraphDef.
	Checkpoint string
	// Config is a tf2xla.Config file (.pbtxt or .pb) that names feeds and fetches.
	Config string
	// FS holds all files of the model, including Checkpoint and Config; if FS is nil, they are in
	// the file system. Names in FS have slashes.
	FS fs.FS
	// Limits bound the models that Load accepts. Load uses only Depth, Nodes and Calls, and also
	// Time if Deadline is zero.
	Limits ir.Limits
	// Deadline is the time at which reading must end. If it is zero, Limits.Time bounds the time.
	Deadline ir.Deadline

	// Ops holds, by name, the ops whose kernels are Go functions that the user wrote.
	Ops map[string]*OwnOp

	// limit in bytes on constants whose values are repeated to fill their shapes; 0 means maxSplats
	splat int64
}

// Port is an input or an output of a signature.
type Port struct {
	Key    string // the signature's key
	Tensor string // name of the tensor in the graph, such as serving_default_x:0
	DType  tensor.DType
	Shape  ir.PartialShape // as declared in the signature
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
	SHA256 string // hash of the bytes that define the model
	// Graph is the main graph with its Library. Attributes that are missing in the file have their
	// default values. The field Outs of each node has a Fact, with a DType, for each output. The
	// library holds only valid functions. If a function has attributes, the library has one copy of
	// the function for each set of attribute values with which it is called.
	Graph *ir.Graph
	// Broken maps each invalid function, which is not in the library, to its error. A caller must
	// call CheckReached before running nodes, because nodes may call such functions.
	Broken     map[string]error
	Signatures []Signature // sorted by name
	// OpSignatures are two signatures that TensorFlow 2 adds to a SavedModel: one for the op that
	// initializes the model, and one for the op that runs a training step. A caller can use these
	// signatures only by their names.
	OpSignatures []Signature
	// BrokenSignatures maps each invalid signature, which is not in Signatures, to its error. It
	// never holds serving_default, and never all signatures of the model.
	BrokenSignatures map[string]error
	// NoSignatures is the error to return if the model is a SavedModel of TensorFlow 2 without a
	// signature and the caller selects nothing else to compile. It is nil for other models.
	NoSignatures error
	Assets       map[string]*Asset // keyed by the name of the tensor that holds the asset's path
	InitOps      []string          // nodes to run once before the first call

	disk       disk
	sources    []source
	checkpoint *bundle.Reader
	restore    map[string]restored // variable node → location of the variable's value in the checkpoint
	// table node → locations of the table's keys and values in the checkpoint
	tables   map[string][2]restored
	unloaded map[string]unloaded // node → a state of the node in the checkpoint that graphc cannot load
	// full name of a variable → key of the variable's value in the checkpoint
	objects map[string]string
	// variable node → key, in the checkpoint, of the object that functions get as their argument for
	// the variable
	bound map[string]string
	// keys, in the checkpoint, of the values that the restore graph assigns to variables
	given map[string]bool
}

// source is a parsed graph, with its file's name for error messages.
type source struct {
	file string
	def  *pb.GraphDef
}

// Load reads a model: a GraphDef (.pb, .pbtxt), several of them merged into one graph, a
// MetaGraphDef (.meta), a SavedModel's folder, or a tfjs graph model (model.json). If the model
// itself is invalid, the error is of type Errors and holds all errors of the model.
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
		f, err := recognise(d, paths[0])
		if err != nil {
			return nil, err
		}
		st, err := d.stat(paths[0])
		switch {
		case err != nil:
			return nil, files.Error(err)
		case f == nil:
			return nil, inFile(filepath.Base(paths[0]), noModel())
		}
		return readers[f.Kind](d, paths[0], st.IsDir(), o)
	}
	for _, p := range paths {
		if _, err := recognise(d, p); err != nil {
			return nil, err
		}
	}
	return loadGraphDefs(paths, o)
}

// noModel is the error for a folder without a model.
func noModel() error {
	return tensor.Errorf(tensor.NotFound, "the folder holds no saved_model.pb, saved_model.pbtxt or model.json")
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
