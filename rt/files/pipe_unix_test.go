//go:build unix

package files

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestReadGrowing: a file may grow after its size was read; files in /proc have size 0.
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

// TestIrregular: a pipe without a writer, a socket and a device are refused at once.
func TestIrregular(t *testing.T) {
	_, dir := tree(t)
	pipe := filepath.Join(dir, "pipe")
	if syscall.Mkfifo(pipe, 0o666) != nil {
		t.Skip("no pipes here")
	}
	names := []string{pipe, os.DevNull}
	if l, err := net.Listen("unix", filepath.Join(dir, "s")); err == nil {
		defer l.Close()
		names = append(names, filepath.Join(dir, "s"))
	}
	for _, name := range names {
		if _, err := ReadFile(name, 1); tensor.CodeOf(err) != tensor.FailedPrecondition {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Dir(filepath.Dir(name)).ReadFile(name, 1); tensor.CodeOf(err) != tensor.FailedPrecondition {
			t.Errorf("%s below its folder: %v", name, err)
		}
	}
	// If a pipe replaces the file after stat, opening it does not wait.
	st, err := os.Stat(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := open(func(string) (os.FileInfo, error) { return st, nil }, os.OpenFile, pipe); err != errIrregular {
		t.Errorf("a pipe that was a file: %v", err)
	}
}
