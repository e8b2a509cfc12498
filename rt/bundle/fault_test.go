package bundle

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// faulty is a file system that counts its operations, which are called steps, and makes one of them
// fail. The field fail is the number of that step. If the field broken is true, all later steps
// fail, too.
type faulty struct {
	System
	n, fail int
	broken  bool
	die     bool // whether the failing step kills the process instead of returning an error
	failed  string
}

func (f *faulty) step(what string) error {
	if f.n++; f.n == f.fail || f.broken && f.n > f.fail {
		f.failed = what
		if f.die {
			if p, err := os.FindProcess(os.Getpid()); err == nil {
				_ = p.Kill()
			}
			select {}
		}
		return errors.New("the disk is broken")
	}
	return nil
}

func (f *faulty) Write(file *os.File, b []byte) (int, error) {
	if err := f.step("write " + filepath.Base(file.Name())); err != nil {
		n, _ := file.Write(b[:len(b)/2])
		return n, err
	}
	return file.Write(b)
}

func (f *faulty) Sync(file *os.File) error {
	if err := f.step("sync " + filepath.Base(file.Name())); err != nil {
		return err
	}
	return file.Sync()
}

func (f *faulty) OpenFile(name string, flag int, perm os.FileMode) (*os.File, error) {
	if err := f.step("open " + filepath.Base(name)); err != nil {
		return nil, err
	}
	return f.System.OpenFile(name, flag, perm)
}

func (f *faulty) Rename(from, to string) error {
	if err := f.step("rename " + filepath.Base(from)); err != nil {
		return err
	}
	return f.System.Rename(from, to)
}

func (f *faulty) Remove(name string) error {
	if err := f.step("remove " + filepath.Base(name)); err != nil {
		return err
	}
	return f.System.Remove(name)
}

// generation returns two tensors for a checkpoint: "a" has n elements with the value k, and "b"
// contains k as a decimal string.
func generation(k, n int) []Named {
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(k)
	}
	return []Named{{Key: "a", Tensor: tensor.Must(tensor.From(tensor.Shape{n}, data))}, {Key: "b", Tensor: tensor.Must(tensor.From(tensor.Shape{1}, []string{fmt.Sprint(k)}))}}
}

func writeGeneration(fs Files, prefix string, k int) error {
	w, err := Create(fs, prefix)
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, x := range generation(k, 1000) {
		if err := w.Add(x); err != nil {
			return err
		}
	}
	return w.Close()
}

// onlyCheckpoint fails the test if the prefix has files that do not belong to the checkpoint.
func onlyCheckpoint(t *testing.T, what, prefix string) {
	t.Helper()
	es, err := os.ReadDir(filepath.Dir(prefix))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range es {
		if strings.HasPrefix(e.Name(), filepath.Base(prefix)+".") {
			names = append(names, e.Name())
		}
	}
	if len(names) != 2 {
		t.Errorf("%s: %v are there", what, names)
	}
}

// readGeneration returns the number k with which a checkpoint was written (see generation), or an
// error if the checkpoint is not complete.
func readGeneration(prefix string) (k int, err error) {
	err = View(System{}, prefix, func(r *Reader) error {
		k, err = generationOf(r)
		return err
	})
	return k, err
}

func generationOf(r *Reader) (int, error) {
	a, err := r.Read("a")
	if err != nil {
		return 0, err
	}
	b, err := r.Read("b")
	if err != nil {
		return 0, err
	}
	k := int(tensor.Data[float32](a)[0])
	for _, v := range tensor.Data[float32](a) {
		if int(v) != k {
			return 0, fmt.Errorf("%v among %d", v, k)
		}
	}
	if s := tensor.Data[string](b)[0]; s != fmt.Sprint(k) {
		return 0, fmt.Errorf("%s beside %d", s, k)
	}
	return k, nil
}

// TestFaults makes one step of a save fail, alone or together with all later steps. Afterwards
// either the old or the new checkpoint exists and is complete. The next save must then succeed.
func TestFaults(t *testing.T) {
	merge := func(fs Files, prefix string, k int) error {
		from := filepath.Join(filepath.Dir(prefix), fmt.Sprintf("part%d", k))
		if err := Write(from, generation(k, 1000)); err != nil {
			return err
		}
		return Merge(fs, []string{from}, prefix, false)
	}
	for name, save := range map[string]func(Files, string, int) error{"write": writeGeneration, "merge": merge} {
		for _, broken := range []bool{false, true} {
			for fail := 1; ; fail++ {
				prefix := filepath.Join(t.TempDir(), "ckpt")
				if err := Write(prefix, generation(1, 1000)); err != nil {
					t.Fatal(err)
				}
				f := &faulty{fail: fail, broken: broken}
				err := save(f, prefix, 2)
				if f.failed == "" {
					if err != nil || fail < 5 {
						t.Errorf("%s: %d steps, %v", name, fail, err)
					}
					break
				}
				what := fmt.Sprintf("%s, broken %t, step %d, %s", name, broken, fail, f.failed)
				k, bad := readGeneration(prefix)
				if bad != nil {
					t.Errorf("%s: %v", what, bad)
				}
				undone := err != nil && strings.Contains(err.Error(), "may undo it") // the index was renamed, but the sync failed
				if err == nil && k != 2 || err != nil && !undone && k != 1 || undone && (k != 2 || !strings.HasPrefix(f.failed, "sync ")) {
					t.Errorf("%s: saving says %v, and %d is there", what, err, k)
				}
				if err := save(System{}, prefix, 3); err != nil {
					t.Errorf("%s: the next: %v", what, err)
				}
				if k, err := readGeneration(prefix); k != 3 || err != nil {
					t.Errorf("%s: the next is %d, %v", what, k, err)
				}
				onlyCheckpoint(t, what, prefix)
			}
		}
	}
}

// TestNames checks the names of files after several saves in a directory with leftover files. A
// save must remove the data file of the previous checkpoint and the unfinished files of graphc, if
// the system can lock files. TensorFlow's unfinished files are removed only if they are old.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	prefix := filepath.Join(dir, "ckpt")
	left := []string{"ckpt.data-00000-of-00001.tempstate1", "ckpt.index.tempstate1", "ckpt.data-00000-of-00001.tempstate2", "ckpt2.index.tempstate1", "ckpt.index.saving7", "ckpt.data-00000-of-00009"}
	for _, name := range left {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-2 * stale)
	for _, name := range []string{left[0], left[1], left[3]} {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	for k, want := range []string{"ckpt.data-00000-of-00001", "ckpt.data-00000-of-00002", "ckpt.data-00000-of-00001"} {
		if err := Write(prefix, generation(k, 10)); err != nil {
			t.Fatal(err)
		}
		es, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range es {
			names = append(names, e.Name())
		}
		wanted := []string{want, left[2], "ckpt.index", left[3]}
		slices.Sort(wanted)
		if !slices.Equal(names, wanted) {
			t.Errorf("%d: %v, want %v", k, names, wanted)
		}
		if got, err := readGeneration(prefix); got != k || err != nil {
			t.Errorf("%d: %d, %v", k, got, err)
		}
	}
}
