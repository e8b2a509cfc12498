package bundle

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// TestWriters: goroutines save to one prefix while others read it. Every checkpoint that is read is
// complete. At the end one checkpoint exists, and no other files.
func TestWriters(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "ckpt")
	if err := Write(prefix, generation(0, 1000)); err != nil {
		t.Fatal(err)
	}
	var writers, readers sync.WaitGroup
	var done atomic.Bool
	for g := range 4 {
		writers.Go(func() {
			for k := range 25 {
				// Each checkpoint has a different size, so no offset is valid in two checkpoints.
				if err := Write(prefix, generation(1+g*100+k, 1000+g*10+k)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 2 {
		readers.Go(func() {
			for !done.Load() {
				if _, err := readGeneration(prefix); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
	done.Store(true)
	readers.Wait()
	if _, err := readGeneration(prefix); err != nil {
		t.Error(err)
	}
	onlyCheckpoint(t, "at the end", prefix)
}

// TestView: the function that View calls sees one complete checkpoint, even if other checkpoints
// replace it during the call.
func TestView(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "ckpt")
	if err := Write(prefix, generation(1, 10)); err != nil {
		t.Fatal(err)
	}
	err := View(System{}, prefix, func(r *Reader) error {
		for k := 2; k < 6; k++ {
			if err := Write(prefix, generation(k, 10*k)); err != nil {
				return err
			}
		}
		if k, err := generationOf(r); k != 1 || err != nil {
			t.Errorf("%d is seen, %v", k, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	onlyCheckpoint(t, "at the end", prefix)
	// s replaces the checkpoint each time before a data file is opened.
	s := &swapping{prefix: prefix, left: 5}
	if err := View(s, prefix, func(r *Reader) error { _, err := generationOf(r); return err }); err != nil || s.left != 0 {
		t.Errorf("%d are left, %v", s.left, err)
	}
	s.left = 1 << 30
	if err := View(s, prefix, func(*Reader) error { return nil }); tensor.CodeOf(err) != tensor.Unavailable {
		t.Error(err)
	}
}

// swapping is a file system for tests. Each time it opens a data file, it first replaces the index
// of the checkpoint by an equal file. The field left is the number of times that it will still do
// this.
type swapping struct {
	System
	prefix string
	left   int
}

func (s *swapping) OpenFile(name string, flag int, perm os.FileMode) (*os.File, error) {
	if strings.Contains(name, ".data-") && s.left > 0 {
		s.left--
		b, err := os.ReadFile(indexName(s.prefix))
		if err == nil {
			err = os.WriteFile(s.prefix+".new", b, 0o666)
		}
		if err == nil {
			err = os.Rename(s.prefix+".new", indexName(s.prefix))
		}
		if err != nil {
			return nil, err
		}
	}
	return s.System.OpenFile(name, flag, perm)
}

// full is a file system with a limited number of free bytes.
type full struct {
	System
	room int
}

func (f *full) Write(file *os.File, b []byte) (int, error) {
	n, err := file.Write(b[:min(len(b), f.room)])
	f.room -= n
	if err == nil && n < len(b) {
		err = &os.PathError{Op: "write", Path: file.Name(), Err: syscall.ENOSPC}
	}
	return n, err
}

func (f *full) Sync(file *os.File) error { return file.Sync() }

// TestFull: a save on a full disk returns ResourceExhausted. Afterwards the directory contains the
// complete old checkpoint, and no leftover files.
func TestFull(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "ckpt")
	if err := Write(prefix, generation(1, 1000)); err != nil {
		t.Fatal(err)
	}
	for room := 0; ; room += 500 {
		err := writeGeneration(&full{room: room}, prefix, 2)
		if err == nil {
			if room < 4000 {
				t.Errorf("%d bytes are enough", room)
			}
			break
		}
		if tensor.CodeOf(err) != tensor.ResourceExhausted {
			t.Errorf("%d bytes: %v", room, err)
		}
		if k, err := readGeneration(prefix); k != 1 || err != nil {
			t.Errorf("%d bytes: %d is there, %v", room, k, err)
		}
		onlyCheckpoint(t, fmt.Sprint(room, " bytes"), prefix)
	}
}

// TestSweepSpares: sweep does not remove the files of active writers, or files that do not belong
// to the checkpoint.
func TestSweepSpares(t *testing.T) {
	dir := t.TempDir()
	prefix := filepath.Join(dir, "ckpt")
	if err := Write(prefix, generation(1, 10)); err != nil {
		t.Fatal(err)
	}
	other, err := Create(System{}, prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Abort()
	stays := []string{"ckpt.data-0-of-00007", "ckpt.data-00000-of-x", "ckpt.data-00000-of-00007.bak", "ckpt2.data-00000-of-00007", "ckpt.meta", "ckpt.indexed"}
	for _, name := range stays {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(prefix+".data-00000-of-00008", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Write(prefix, generation(2, 10)); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(stays, "ckpt.data-00000-of-00008") {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	for _, x := range generation(3, 10) {
		if err := other.Add(x); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if k, err := readGeneration(prefix); k != 3 || err != nil {
		t.Errorf("%d is there, %v", k, err)
	}
}

// saverPrefix and saverStep are the names of environment variables. If the first one is set,
// TestSaver turns the test binary into a process that saves checkpoints.
const (
	saverPrefix = "GRAPHC_TEST_SAVER"
	saverStep   = "GRAPHC_TEST_SAVER_STEP"
)

// TestSaver runs in the process that the function saver starts. It saves checkpoints repeatedly. If
// saverStep is set, TestSaver saves only one checkpoint, and kills its own process at the step of
// the save that has the number in saverStep.
func TestSaver(t *testing.T) {
	prefix := os.Getenv(saverPrefix)
	if prefix == "" {
		t.Skip("it is started by other tests")
	}
	if step := os.Getenv(saverStep); step != "" {
		n, err := strconv.Atoi(step)
		if err != nil {
			t.Fatal(err)
		}
		if err := writeGeneration(&faulty{fail: n, die: true}, prefix, 2); err != nil {
			t.Fatal(err)
		}
		return
	}
	for k := 1; ; k++ {
		if err := Write(prefix, generation(k%1000, 10_000)); err != nil {
			t.Fatal(err)
		}
	}
}

// saver starts a process that runs only TestSaver.
func saver(t *testing.T, prefix, step string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestSaver$", "-test.timeout=1m")
	cmd.Env = append(os.Environ(), saverPrefix+"="+prefix, saverStep+"="+step)
	cmd.Stdout = io.Discard
	switch err := cmd.Start(); {
	case errors.Is(err, syscall.ENOEXEC):
		t.Skip("an emulator runs this program, and the system cannot start it")
	case err != nil:
		t.Fatal(err)
	}
	return cmd
}

// TestKillAtEachStep kills a process at each step of a save. Afterwards either the old or the new
// checkpoint exists, and the next save removes leftover files at once.
func TestKillAtEachStep(t *testing.T) {
	for step := 1; ; step++ {
		prefix := filepath.Join(t.TempDir(), "ckpt")
		if err := Write(prefix, generation(1, 1000)); err != nil {
			t.Fatal(err)
		}
		err := saver(t, prefix, strconv.Itoa(step)).Wait()
		k, bad := readGeneration(prefix)
		if bad != nil || k != 1 && k != 2 {
			t.Errorf("step %d: %d is there, %v", step, k, bad)
		}
		if err == nil { // the process was not killed
			if k != 2 || step < 15 {
				t.Errorf("%d steps, and %d is there", step, k)
			}
			break
		}
		if err := Write(prefix, generation(3, 1000)); err != nil {
			t.Error(err)
		}
		onlyCheckpoint(t, fmt.Sprint("step ", step), prefix)
	}
}

// TestProcesses: two processes save to one prefix and are killed repeatedly. Every checkpoint that
// is read meanwhile is complete.
func TestProcesses(t *testing.T) {
	n := 6
	if testing.Short() {
		n = 2
	}
	prefix := filepath.Join(t.TempDir(), "ckpt")
	if err := Write(prefix, generation(0, 10_000)); err != nil {
		t.Fatal(err)
	}
	read := 0
	for k := range n {
		a, b := saver(t, prefix, ""), saver(t, prefix, "")
		end := time.Now().Add(60*time.Millisecond + time.Duration(k*3137)*time.Microsecond)
		for time.Now().Before(end) {
			if _, err := readGeneration(prefix); err != nil {
				t.Error(err)
			}
			read++
		}
		for _, c := range []*exec.Cmd{a, b} {
			if err := c.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = c.Wait() // it was killed
		}
		if _, err := readGeneration(prefix); err != nil {
			t.Errorf("after pair %d: %v", k, err)
		}
	}
	if err := Write(prefix, generation(1, 10)); err != nil {
		t.Error(err)
	}
	onlyCheckpoint(t, "at the end", prefix)
	t.Logf("%d checkpoints read", read)
}
