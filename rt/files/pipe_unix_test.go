//go:build unix

package files

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// A file may grow after its size was asked for; those of /proc have the size 0.
func TestReadGrowing(t *testing.T) {
	root, err := os.OpenRoot("/proc/self")
	if err != nil {
		t.Skip("no /proc here")
	}
	defer root.Close()
	if s, err := Read(root, "status", 3); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("%q, %v", s, err)
	}
}

func TestPipe(t *testing.T) {
	root, dir := tree(t)
	if syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666) != nil {
		t.Skip("no pipes here")
	}
	if _, err := Read(root, "pipe", MaxBytes); tensor.CodeOf(err) != tensor.FailedPrecondition {
		t.Errorf("read: %v", err)
	}
	if err := Write(root, "pipe", "x"); tensor.CodeOf(err) != tensor.FailedPrecondition {
		t.Errorf("write: %v", err)
	}
	if _, err := Append(root, "pipe"); tensor.CodeOf(err) != tensor.FailedPrecondition {
		t.Errorf("append: %v", err)
	}
}
