package frontend

import (
	"encoding/hex"
	"fmt"
	"hash"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc/frontend/formats"
	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// Names of signatures: the signature of the op that runs when the model is loaded, the signature of
// the op that runs a training step, and the default signature for serving.
const (
	initSignature    = "__saved_model_init_op"
	trainSignature   = "__saved_model_train_op"
	defaultSignature = "serving_default"
)

// initCollections are the names of the collections that list the nodes to run after the variables
// are restored.
var initCollections = []string{"saved_model_main_op", "legacy_init_op"}

// loadSavedModel reads the SavedModel in the folder dir. It calls the function read to read the
// main file.
func loadSavedModel(dir string, read func(dir, path string) ([]byte, error), o Options) (*Model, error) {
	d := disk{o.FS}
	path := filepath.Join(dir, "saved_model.pb")
	if !d.exists(path) {
		path = filepath.Join(dir, "saved_model.pbtxt")
		if !d.exists(path) {
			return nil, inFile(filepath.Base(dir), noModel())
		}
	}
	raw, err := read(dir, path)
	if err != nil {
		return nil, err
	}
	h := ir.NewHash()
	h.Write(raw)
	sm := &pb.SavedModel{}
	if err := unmarshal(path, raw, sm, o.Limits.Depth); err != nil {
		return nil, err
	}
	raw = nil
	file := filepath.Base(path)
	mg, err := metaGraph(sm, o.Tags)
	if err != nil {
		if hub := formats.HubModule.Folder(look{d}, dir); hub != nil && len(o.Tags) == 0 {
			err = formats.HubModule.Error(hub)
		}
		return nil, inFile(file, err)
	}
	m := &Model{Path: dir, Kind: "saved_model", disk: d, sources: []source{{file, mg.GetGraphDef()}}}
	if m.sources[0].def == nil {
		m.sources[0].def = &pb.GraphDef{}
	}
	if err := m.build(o); err != nil {
		return nil, err
	}
	prefix, in := filepath.Join(dir, "variables", "variables"), dir
	if o.Checkpoint != "" {
		prefix, in = o.Checkpoint, "" // the user named the checkpoint, so it may be anywhere
	} else if !d.exists(prefix + ".index") {
		prefix = ""
	}
	if err := m.readMetaGraph(file, dir, in, prefix, mg, h); err != nil {
		return nil, err
	}
	m.NoSignatures = m.withoutSignatures(mg.ObjectGraphDef)
	m.SHA256 = hex.EncodeToString(h.Sum(nil))
	return m, nil
}

// readMetaGraph reads the parts of a meta graph other than its graph. It also opens the checkpoint
// with the given prefix, unless the prefix is "". The parameters that it passes to openCheckpoint
// are explained there.
func (m *Model) readMetaGraph(file, dir, in, prefix string, mg *pb.MetaGraphDef, h hash.Hash) error {
	if err := m.openCheckpoint(in, prefix, h); err != nil {
		return err
	}
	var errs Errors
	fail := func(err error) {
		if err != nil {
			errs = append(errs, inFile(file, err))
		}
	}
	m.readAssets(dir, mg, fail)
	m.readSignatures(mg, fail)
	m.readInitOps(mg, fail)
	m.readSaver(mg, m.checkpoint != nil, fail)
	if len(errs) > 0 {
		return errs
	}
	if m.checkpoint != nil {
		m.readRestore(mg)
	}
	return nil
}

// metaGraph returns the meta graph with exactly the given tags. Without tags, it chooses as
// described at Options.Tags.
func metaGraph(sm *pb.SavedModel, tags []string) (*pb.MetaGraphDef, error) {
	if len(sm.MetaGraphs) == 0 {
		return nil, tensor.Errorf(tensor.NotFound, "the SavedModel has no meta graph")
	}
	want := slices.Clone(tags)
	if len(want) == 0 {
		want = []string{"serve"}
		if all := sm.MetaGraphs; len(all) == 1 {
			if have := all[0].GetMetaInfoDef().GetTags(); len(have) == 0 || slices.Contains(have, "serve") {
				return all[0], nil
			}
		}
	}
	sort.Strings(want)
	var have []string
	for _, mg := range sm.MetaGraphs {
		t := slices.Clone(mg.GetMetaInfoDef().GetTags())
		sort.Strings(t)
		if slices.Equal(t, want) {
			return mg, nil
		}
		have = append(have, "{"+strings.Join(t, ", ")+"}")
	}
	return nil, tensor.Errorf(tensor.NotFound, "no meta graph is tagged {%s}; the SavedModel has %s", strings.Join(want, ", "), strings.Join(have, " and "))
}

// Asset is a file of a SavedModel.
type Asset struct {
	Name string // path below the assets folder, with slashes

	disk      disk
	dir, path string // the SavedModel's folder, and the file's path in the file system
}

// Read returns the file's content.
func (a *Asset) Read() ([]byte, error) { return a.disk.readIn(a.dir, a.path) }

// readAssets finds the asset files. In the graph, the path of an asset is the value of a tensor.
// The files must be in the SavedModel's assets folder.
func (m *Model) readAssets(dir string, mg *pb.MetaGraphDef, fail func(error)) {
	m.Assets = map[string]*Asset{}
	for _, a := range assetFiles(mg) {
		name := a.GetTensorInfo().GetName()
		if !filepath.IsLocal(a.Filename) {
			fail(invalid("the asset %q is not in the SavedModel's folder", tensor.Clip(a.Filename)))
			continue
		}
		if _, err := m.Graph.Lookup(name); err != nil {
			fail(invalid("the asset %q: %s", tensor.Clip(a.Filename), plain(err)))
			continue
		}
		m.Assets[name] = &Asset{path.Clean(filepath.ToSlash(a.Filename)), m.disk, dir, filepath.Join(dir, "assets", a.Filename)}
	}
}

// assetFiles lists the assets, including those that old SavedModels keep in a collection.
func assetFiles(mg *pb.MetaGraphDef) []*pb.AssetFileDef {
	files := mg.AssetFileDef
	if len(files) > 0 {
		return files
	}
	for _, a := range mg.CollectionDef["saved_model_assets"].GetAnyList().GetValue() {
		f := &pb.AssetFileDef{}
		if strings.HasSuffix(a.TypeUrl, ".AssetFileDef") && (proto.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: 100}).Unmarshal(a.Value, f) == nil {
			files = append(files, f)
		}
	}
	return files
}

// readSignatures converts signature_def. TensorFlow checks a signature only when it is called, and
// some files have both valid and invalid signatures. Therefore an invalid signature is usually not
// an error; it is recorded in BrokenSignatures. It is an error only if it is the default signature
// or if no signature is valid.
func (m *Model) readSignatures(mg *pb.MetaGraphDef, fail func(error)) {
	m.BrokenSignatures = map[string]error{}
	for _, name := range sortedKeys(mg.SignatureDef) {
		var errs Errors
		s := m.signature(name, mg.SignatureDef[name], &errs)
		if name == initSignature || name == trainSignature {
			if len(errs) == 0 && len(s.Targets) > 0 {
				m.OpSignatures = append(m.OpSignatures, s)
			}
			continue
		}
		if len(errs) > 0 {
			m.BrokenSignatures[name] = errs
			continue
		}
		m.Signatures = append(m.Signatures, s)
	}
	for _, name := range sortedKeys(m.BrokenSignatures) {
		if name == defaultSignature || len(m.Signatures) == 0 {
			for _, err := range m.BrokenSignatures[name].(Errors) {
				fail(err)
			}
		}
	}
}

// signature converts one signature. A node without outputs that is listed as an output, such as a
// training op, becomes a target.
func (m *Model) signature(name string, d *pb.SignatureDef, errs *Errors) Signature {
	s := Signature{Name: name, Method: d.GetMethodName()}
	ports := func(what string, infos map[string]*pb.TensorInfo) (ports []Port) {
		for _, key := range sortedKeys(infos) {
			for _, p := range flatten(key, infos[key]) {
				err := m.checkPort(&p.Port, p.dtype, p.shape)
				if n := m.Graph.Node(strings.TrimSuffix(p.Tensor, ":0")); err != nil && what == "output" && n != nil && len(n.Outs) == 0 {
					s.Targets = append(s.Targets, n.Name)
					continue
				}
				if err != nil {
					*errs = append(*errs, invalid("signature %q, %s %q is %q: %s", tensor.Clip(name), what, tensor.Clip(p.Key), tensor.Clip(p.Tensor), plain(err)))
					continue
				}
				ports = append(ports, p.Port)
			}
		}
		return ports
	}
	s.Inputs = ports("input", d.GetInputs())
	s.Outputs = ports("output", d.GetOutputs())
	s.sort()
	return s
}

type declared struct {
	Port
	dtype pb.DataType
	shape *pb.TensorShapeProto
}

// flatten lists the tensors of an input or output of a signature. A sparse or composite tensor has
// several parts, which get keys of the form key/part. Any other tensor is the only element of the
// list.
func flatten(key string, info *pb.TensorInfo) []declared {
	switch e := info.GetEncoding().(type) {
	case *pb.TensorInfo_CooSparse_:
		return []declared{
			{Port: Port{Key: key + "/values", Tensor: e.CooSparse.ValuesTensorName}, dtype: info.Dtype},
			{Port: Port{Key: key + "/indices", Tensor: e.CooSparse.IndicesTensorName}, dtype: pb.DataType_DT_INT64},
			{Port: Port{Key: key + "/dense_shape", Tensor: e.CooSparse.DenseShapeTensorName}, dtype: pb.DataType_DT_INT64},
		}
	case *pb.TensorInfo_CompositeTensor_:
		var l []declared
		for i, c := range e.CompositeTensor.Components {
			l = append(l, flatten(fmt.Sprintf("%s/%d", key, i), c)...)
		}
		return l
	}
	return []declared{{Port: Port{Key: key, Tensor: info.GetName()}, dtype: info.GetDtype(), shape: info.GetTensorShape()}}
}

// readInitOps finds the nodes to run after the variables are restored. TensorFlow 2 lists them in a
// signature. If there is no such signature, they are in the first of TensorFlow 1's collections
// that exists.
func (m *Model) readInitOps(mg *pb.MetaGraphDef, fail func(error)) {
	add := func(from, name string) {
		node, _ := tensorName(name)
		if m.Graph.Node(node) == nil {
			fail(invalid("%s names %q, which is not a node", from, tensor.Clip(name)))
			return
		}
		m.InitOps = append(m.InitOps, node)
	}
	if s := mg.SignatureDef[initSignature]; s != nil {
		for _, k := range sortedKeys(s.GetOutputs()) {
			add(initSignature, s.Outputs[k].GetName())
		}
		if len(m.InitOps) > 0 {
			return
		}
	}
	collections := initCollections
	if m.Kind == "metagraph" {
		collections = append(slices.Clip(collections), m.monitored(mg)...)
	}
	for _, c := range collections {
		d := mg.CollectionDef[c]
		if d == nil {
			continue
		}
		l, ok := d.Kind.(*pb.CollectionDef_NodeList_)
		if !ok {
			fail(invalid("the collection %q is not a list of nodes", c))
			continue
		}
		for _, n := range l.NodeList.GetValue() { // unknown names are skipped, because readSaver reports them
			if node, _ := tensorName(n); m.Graph.Node(node) != nil {
				m.InitOps = append(m.InitOps, node)
			}
		}
		if len(m.InitOps) > 0 && c != globalInit {
			return
		}
	}
}

// globalInit is the name of the collection that has the op that gives variables their initial
// values.
const globalInit = "init_op"

// monitored returns the names of the collections with the ops that TensorFlow's MonitoredSession
// runs before its first use. If there is no checkpoint, the first collection has the initializers
// of variables. The last collection has the initializers of everything else, including tables.
func (m *Model) monitored(mg *pb.MetaGraphDef) (list []string) {
	if m.checkpoint == nil {
		list = append(list, globalInit)
	}
	if mg.CollectionDef["local_init_op"] != nil {
		return append(list, "local_init_op")
	}
	return append(list, "table_initializer")
}
