package emitdir

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSyncs: a file that cannot be synced is an error.
func TestSyncs(t *testing.T) {
	f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Sync() == nil {
		t.Skip("the null device can be synced on this system")
	}
	root, err := os.OpenRoot(filepath.Dir(os.DevNull))
	if err != nil {
		t.Skip(err)
	}
	defer root.Close()
	if err := (disk{root: root}).write(filepath.Base(os.DevNull), []byte("text"), 0o666); err == nil {
		t.Error("what cannot be synced is written without an error")
	}
}
