package bundle

import (
	"os"
	"strings"
	"testing"
)

// unsynced is a file system in which the files of one name take bytes and cannot be
// synced, as those of a device, and renaming always works.
type unsynced struct {
	System
	part    string // of the name
	renamed int
}

func (u *unsynced) OpenFile(name string, flag int, perm os.FileMode) (*os.File, error) {
	if flag&os.O_CREATE != 0 && strings.Contains(name, u.part) {
		return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	}
	return u.System.OpenFile(name, flag, perm)
}

func (u *unsynced) Rename(from, to string) error { u.renamed++; return nil }

// TestSyncs: no file takes its name before its bytes are on the disk.
func TestSyncs(t *testing.T) {
	f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Sync() == nil {
		t.Skip("the null device can be synced on this system")
	}
	for _, part := range []string{".data-", ".index"} {
		prefix := t.TempDir() + "/ckpt"
		u := &unsynced{part: part}
		w, err := Create(u, prefix)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range generation(1, 10) {
			if err := w.Add(x); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err == nil || u.renamed != 0 {
			t.Errorf("%s: %d files are renamed, %v", part, u.renamed, err)
		}
	}
	from := t.TempDir() + "/from"
	if err := Write(from, generation(1, 10)); err != nil {
		t.Fatal(err)
	}
	u := &unsynced{part: ".index"}
	if err := Merge(u, []string{from}, t.TempDir()+"/to", false); err == nil || u.renamed != 1 { // the data
		t.Errorf("merging: %d files are renamed, %v", u.renamed, err)
	}
}
