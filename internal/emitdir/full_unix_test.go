//go:build unix

package emitdir

import (
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fullDir names the environment variable with the folder that TestFullWriter writes to. If it is
// set, this process is the one that simulates a full disk.
const fullDir = "GRAPHC_TEST_FULL"

// TestFullWriter is the process that TestFull starts. A limit for the size of its files simulates a
// full disk.
func TestFullWriter(t *testing.T) {
	dir := os.Getenv(fullDir)
	if dir == "" {
		t.Skip("it is started by TestFull")
	}
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Skip(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: old.Max}); err != nil {
		t.Skip(err)
	}
	_, err := generate(dir, generated(after), "internal")
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err == nil || !strings.Contains(err.Error(), dir+" is as it was") {
		t.Errorf("without room: %v", err)
	}
}

// TestFull: a full disk leaves the folder as it was, without temporary files.
func TestFull(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put(t, dir, before)
	cmd := exec.Command(self, "-test.run=^TestFullWriter$")
	cmd.Env = append(os.Environ(), fullDir+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := filesOf(t, dir); !maps.Equal(got, before) {
		t.Errorf("%q", got)
	}
}

// TestPipes: a pipe does not count as written by graphc, and opening it does not block.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{tempPrefix + "1/new0": head})
	for _, name := range []string{"a.go", "stale.go", tempPrefix + "1/journal.json"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o666); err != nil {
			t.Skip(err)
		}
	}
	if err := Recover(dir); err == nil || !strings.Contains(err.Error(), "its journal is not valid") {
		t.Errorf("a journal: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(dir, tempPrefix+"1")); err != nil {
		t.Fatal(err)
	}
	if _, err := New(dir, map[string][]byte{"a.go": []byte(head)}); err == nil || !strings.Contains(err.Error(), "not written by graphc") {
		t.Errorf("a pipe in the place of a file: %v", err)
	}
	p, err := New(dir, map[string][]byte{"b.go": []byte(head)})
	if err != nil || len(p.Remove) > 0 {
		t.Errorf("%v is stale, %v", p, err)
	}
}
