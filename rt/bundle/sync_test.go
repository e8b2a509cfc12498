package bundle

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unsynced is a file system that cannot sync a file if the file's name contains the field part.
type unsynced struct {
	System
	part    string
	renamed []string
}

func (u *unsynced) Write(f *os.File, b []byte) (int, error) { return f.Write(b) }

func (u *unsynced) Sync(f *os.File) error {
	if strings.Contains(filepath.Base(f.Name()), u.part) {
		return errors.New("it cannot be synced")
	}
	return f.Sync()
}

func (u *unsynced) Rename(from, to string) error {
	u.renamed = append(u.renamed, filepath.Base(to))
	return u.System.Rename(from, to)
}

// TestSyncs: an index file is renamed only after its contents, the contents of the data files and
// the names of all these files are on disk.
func TestSyncs(t *testing.T) {
	for _, part := range []string{".data-", ".index", "folder"} {
		dir := filepath.Join(t.TempDir(), "folder")
		prefix := filepath.Join(dir, "ckpt")
		if err := Write(prefix, generation(1, 10)); err != nil {
			t.Fatal(err)
		}
		u := &unsynced{part: part}
		if err := writeGeneration(u, prefix, 2); err == nil || len(u.renamed) != 0 {
			t.Errorf("%s: %q are renamed, %v", part, u.renamed, err)
		}
		if k, err := readGeneration(prefix); k != 1 || err != nil {
			t.Errorf("%s: %d is there, %v", part, k, err)
		}
		onlyCheckpoint(t, part, prefix)
	}
	from := filepath.Join(t.TempDir(), "from")
	if err := Write(from, generation(1, 10)); err != nil {
		t.Fatal(err)
	}
	u := &unsynced{part: ".index"}
	to := filepath.Join(t.TempDir(), "to")
	if err := Merge(u, []string{from}, to, false); err == nil || slices.Contains(u.renamed, "to.index") {
		t.Errorf("merging: %q are renamed, %v", u.renamed, err)
	}
	// The failed merge must have restored the old file names.
	if k, err := readGeneration(from); k != 1 || err != nil {
		t.Errorf("after merging: %d, %v", k, err)
	}
}
