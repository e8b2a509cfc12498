package frontend

import (
	"encoding/hex"
	"hash"
	"path/filepath"
	"strings"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
)

// isMetaGraph reports whether a file has the name of a MetaGraphDef, which a Saver of TensorFlow 1
// writes next to a checkpoint.
func isMetaGraph(base string) bool {
	return strings.HasSuffix(base, ".meta") || strings.HasSuffix(base, ".meta.txt")
}

// loadMetaGraph reads a MetaGraphDef and its checkpoint: the checkpoint named in the options or,
// without one, the checkpoint with the MetaGraphDef's name, if it exists.
func loadMetaGraph(path string, o Options) (*Model, error) {
	d := disk{o.FS}
	raw, err := d.readFile(path)
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
	m := &Model{Path: path, Kind: "metagraph", disk: d, sources: []source{{file, mg.GraphDef}}}
	if err := m.build(o); err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	prefix, in := o.Checkpoint, ""
	if own := strings.TrimSuffix(strings.TrimSuffix(path, ".txt"), ".meta"); prefix == "" && d.hasCheckpoint(dir, own) {
		prefix, in = own, dir
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

// openCheckpoint opens the model's checkpoint. It does nothing if prefix is "". It adds bytes that
// depend on the checkpoint's values to the hash h. The parameter in is the path of the folder that
// must contain the checkpoint. If this path is "", the checkpoint may be anywhere.
func (m *Model) openCheckpoint(in, prefix string, h hash.Hash) (err error) {
	if prefix == "" {
		return nil
	}
	if m.checkpoint, err = m.disk.openBundle(in, prefix); err != nil {
		return err
	}
	// the index file suffices for the hash, because it has the checksums of the values
	names := []string{prefix + ".index"}
	if !m.disk.exists(names[0]) {
		names = m.checkpoint.Files()
	}
	for _, name := range names {
		if err := m.disk.copyFile(h, in, name); err != nil {
			return err
		}
	}
	return nil
}

// useCheckpoint gives the variables and tables of a plain graph the values in a checkpoint. It
// finds the values by the graph's own restore nodes, or else by the names of the variables and
// tables.
func (m *Model) useCheckpoint(prefix string, h hash.Hash) error {
	if err := m.openCheckpoint("", prefix, h); err != nil || m.checkpoint == nil {
		return err
	}
	m.given = map[string]bool{}
	for _, r := range m.restore {
		m.given[r.key] = true
	}
	m.readObjects(nil)
	return nil
}

// Nearby returns the prefix of a checkpoint next to a graph that was read without one. It prefers
// the checkpoint with the graph's name to the checkpoint that TensorFlow recorded as the latest in
// the folder. It returns "" if neither exists.
func (m *Model) Nearby() string {
	if m.checkpoint != nil || m.Kind != "graphdef" && m.Kind != "metagraph" {
		return ""
	}
	if own := strings.TrimSuffix(m.Path, filepath.Ext(m.Path)); m.disk.exists(own + ".index") {
		return own
	}
	return m.disk.latest(filepath.Dir(m.Path))
}
