//go:build unix

package files

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

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
