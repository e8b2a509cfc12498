package frontend

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/graphc/graphc/frontend/formats"
	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/rt/files"
)

// readers holds, for each kind of model, the function that reads it from a file or folder.
var readers = map[string]func(d disk, path string, dir bool, o Options) (*Model, error){
	formats.SavedModel: func(d disk, path string, dir bool, o Options) (*Model, error) {
		if dir {
			return loadSavedModel(path, d.readIn, o)
		}
		return loadSavedModel(filepath.Dir(path), d.named, o)
	},
	formats.TFJS: func(d disk, path string, dir bool, o Options) (*Model, error) {
		if dir {
			return loadTFJS(filepath.Join(path, "model.json"), d.readIn, o)
		}
		return loadTFJS(path, d.named, o)
	},
	formats.MetaGraph: func(_ disk, path string, _ bool, o Options) (*Model, error) { return loadMetaGraph(path, o) },
	formats.GraphDef:  func(_ disk, path string, _ bool, o Options) (*Model, error) { return loadGraphDefs([]string{path}, o) },
}

// recognise returns the format of a file or folder, or nil if it is unknown. If graphc does not
// read the format, the error says why.
func recognise(d disk, path string) (*formats.Format, error) {
	in, err := formats.Open(look{d}, path)
	if err != nil {
		return nil, files.Error(err)
	}
	defer in.Close()
	f := formats.Of(in)
	if f != nil && f.Kind == "" {
		return nil, inFile(filepath.Base(path), f.Error(in))
	}
	return f, nil
}

// look adapts a disk to the interface formats.Source, through which package formats opens files.
type look struct{ disk }

func (l look) Stat(path string) (fs.FileInfo, error) { return l.stat(path) }

func (l look) Open(path string) (fs.File, error) {
	if l.fsys != nil {
		return l.openFS(path)
	}
	f, _, err := files.OpenFile(path)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (l look) Names(dir string, most int) (names []string) {
	var f fs.File
	var err error
	if l.fsys == nil {
		f, err = os.Open(dir)
	} else if dir, err = l.name(dir); err == nil {
		f, err = l.fsys.Open(dir)
	}
	if err != nil {
		return nil
	}
	defer f.Close()
	if d, ok := f.(fs.ReadDirFile); ok {
		entries, _ := d.ReadDir(most)
		for _, e := range entries {
			names = append(names, e.Name())
		}
	}
	return names
}

// withoutSignatures is the error for a SavedModel of TensorFlow 2 that has no signature, and nil
// for any other model.
func (m *Model) withoutSignatures(saved *pb.SavedObjectGraph) error {
	if len(m.Signatures)+len(m.BrokenSignatures) > 0 || len(saved.GetConcreteFunctions()) == 0 {
		return nil
	}
	in := &formats.Input{Path: m.Path, Function: callable(saved)}
	return inFile(filepath.Base(m.Path), formats.NoSignatures.Error(in))
}

// traced matches the name of a traced Python function.
var traced = regexp.MustCompile(`^__inference_([A-Za-z_]\w*)_\d+$`)

// callable returns the name of a traced Python function of the root object. It prefers __call__. If
// __call__ was not traced, it returns the first name in alphabetical order.
func callable(saved *pb.SavedObjectGraph) string {
	have := map[string]bool{}
	for name := range saved.ConcreteFunctions {
		if m := traced.FindStringSubmatch(name); m != nil {
			have[m[1]] = true
		}
	}
	best := "__call__"
	if len(saved.Nodes) == 0 || have[best] {
		return best
	}
	first := ""
	for _, c := range saved.Nodes[0].Children {
		if name := c.GetLocalName(); have[name] && (first == "" || name < first) {
			first = name
		}
	}
	if first != "" {
		return first
	}
	return best
}
