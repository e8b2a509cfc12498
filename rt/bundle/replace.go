package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A checkpoint is an index and data files, and two files cannot be renamed at once. So
// the data files that take the place of others have other names, of one number of
// shards more or less: only the rename of the index makes the new checkpoint of them,
// and until then the old one is whole.

// checkpoint is one that another is about to replace; nil for none.
type checkpoint struct {
	prefix string
	shards int32
	used   []int32 // shards that tensors are in
}

// replaced returns the checkpoint that is there; nil where there is none that can be read.
func replaced(fs Files, prefix string) *checkpoint {
	r, err := OpenIn(fs, prefix)
	if err != nil {
		return nil
	}
	c := &checkpoint{prefix: prefix, shards: r.header.shards}
	seen := map[int32]bool{}
	for _, e := range r.entries {
		if !seen[e.shard] {
			seen[e.shard] = true
			c.used = append(c.used, e.shard)
		}
	}
	return c
}

// other returns n, or a number of shards that names other files where c has n of them.
func (c *checkpoint) other(n int32) int32 {
	if c != nil && c.shards == n {
		return n + 1
	}
	return n
}

// drop removes the data files of a checkpoint that has been replaced.
func (c *checkpoint) drop(fs Files) {
	if c == nil {
		return
	}
	for _, k := range c.used {
		fs.Remove(dataName(c.prefix, k, c.shards))
	}
}

// stale is how old a file that is not complete must be for its writer to be gone.
const stale = time.Hour

// dropTemps removes files of this prefix that were never completed.
func dropTemps(fs Files, prefix string) {
	dir, base := filepath.Split(prefix)
	if dir == "" {
		dir = "."
	}
	d, err := fs.OpenFile(dir, os.O_RDONLY, 0)
	if err != nil {
		return
	}
	defer d.Close()
	list, err := d.ReadDir(-1)
	if err != nil {
		return
	}
	for _, e := range list {
		rest, ours := strings.CutPrefix(e.Name(), base+".")
		if !ours || !strings.Contains(rest, ".tempstate") || !strings.HasPrefix(rest, "data-") && !strings.HasPrefix(rest, "index.") {
			continue
		}
		if st, err := e.Info(); err == nil && st.Mode().IsRegular() && time.Since(st.ModTime()) > stale {
			fs.Remove(dir + string(filepath.Separator) + e.Name())
		}
	}
}
