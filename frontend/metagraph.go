package frontend

import (
	"encoding/hex"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/tensor"
)

// isMetaGraph reports whether a file is what a Saver of TensorFlow 1 writes beside a
// checkpoint: a MetaGraphDef.
func isMetaGraph(base string) bool {
	return strings.HasSuffix(base, ".meta") || strings.HasSuffix(base, ".meta.txt")
}

// loadMetaGraph reads a MetaGraphDef and the checkpoint of its name, where that is there
// or the options name another.
func loadMetaGraph(path string, o Options) (*Model, error) {
	raw, err := readFile(path)
	if err != nil {
		return nil, err
	}
	h := ir.NewHash()
	h.Write(raw)
	mg := &pb.MetaGraphDef{}
	if err := unmarshal(path, raw, mg, o.Limits.Depth); err != nil {
		return nil, err
	}
	raw = nil
	file := filepath.Base(path)
	if mg.GraphDef == nil {
		return nil, inFile(file, invalid("the MetaGraphDef has no graph"))
	}
	m := &Model{Path: path, Kind: "metagraph", sources: []source{{file, mg.GraphDef}}}
	if err := m.build(o); err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	prefix, in := o.Checkpoint, bundle.Files(bundle.System{})
	if own := strings.TrimSuffix(strings.TrimSuffix(path, ".txt"), ".meta"); prefix == "" && hasCheckpoint(files.Dir(dir), own) {
		prefix, in = own, files.Dir(dir)
	}
	if err := m.readMetaGraph(file, dir, in, prefix, mg, h); err != nil {
		return nil, err
	}
	if m.checkpoint == nil {
		m.walkRestore(nil)
	}
	m.SHA256 = hex.EncodeToString(h.Sum(nil))
	return m, nil
}

// hasCheckpoint reports whether there is a checkpoint of that prefix, of either format.
func hasCheckpoint(in bundle.Files, prefix string) bool {
	if exists(prefix + ".index") {
		return true
	}
	_, err := bundle.OpenIn(in, prefix)
	return tensor.CodeOf(err) != tensor.NotFound && tensor.CodeOf(err) != tensor.FailedPrecondition
}

// openCheckpoint opens the model's checkpoint, none for "", and adds to h bytes that
// depend on its values.
func (m *Model) openCheckpoint(in bundle.Files, prefix string, h hash.Hash) (err error) {
	if prefix == "" {
		return nil
	}
	if m.checkpoint, err = bundle.OpenIn(in, prefix); err != nil {
		return err
	}
	names := []string{prefix + ".index"} // it has the checksums of the values
	if !exists(names[0]) {
		names = m.checkpoint.Files()
	}
	for _, name := range names {
		f, err := in.OpenFile(name, os.O_RDONLY|files.DontWait, 0)
		if err != nil {
			return files.Error(err)
		}
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return files.Error(err)
		}
	}
	return nil
}

// useCheckpoint gives the variables and tables of a plain graph the values of a checkpoint:
// as the graph's own nodes restore them, else by their names.
func (m *Model) useCheckpoint(prefix string, h hash.Hash) error {
	if err := m.openCheckpoint(bundle.System{}, prefix, h); err != nil || m.checkpoint == nil {
		return err
	}
	m.given = map[string]bool{}
	for _, r := range m.restore {
		m.given[r.key] = true
	}
	m.readObjects(nil)
	return nil
}

// Nearby returns the prefix of a checkpoint that lies beside a graph which was read
// without one, "" where there is none: one of the graph's name, or the latest that TensorFlow
// has noted in the folder.
func (m *Model) Nearby() string {
	if m.checkpoint != nil || m.Kind != "graphdef" && m.Kind != "metagraph" {
		return ""
	}
	if own := strings.TrimSuffix(m.Path, filepath.Ext(m.Path)); exists(own + ".index") {
		return own
	}
	dir := filepath.Dir(m.Path)
	raw, err := files.Dir(dir).ReadFile(filepath.Join(dir, "checkpoint"), 1<<20)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(raw)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "model_checkpoint_path:"); ok {
			name = strings.Trim(strings.TrimSpace(name), `"`)
			if !filepath.IsAbs(name) {
				name = filepath.Join(filepath.Dir(m.Path), name)
			}
			if exists(name + ".index") {
				return name
			}
		}
	}
	return ""
}
