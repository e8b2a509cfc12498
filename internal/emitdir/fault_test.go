package emitdir

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/testkit"
)

// The tests change a folder from an old state to a new state. Each state is a map from file names
// to contents: the variable before is the old state, and the variable after is the new state. The
// main file and other files change, some files are removed, some are new, and some stay the same.
var (
	mainFile = head + "package m\n\ntype Model struct {\n}\n"
	before   = map[string]string{"m.gen.go": mainFile, "a.go": head + "1", "gone.go": head, "internal/rt/old.go": head, "w.bin": "graphc weights 1", "same.go": head + "s", "hand.go": "package m"}
	after    = map[string]string{"m.gen.go": mainFile + "// 2\n", "a.go": head + "2", "come.go": head, "internal/rt/new.go": head, "w.bin": "graphc weights 2" + strings.Repeat("x", 1<<16), "same.go": head + "s",
		"hand.go": "package m"}
	afterSame = func() map[string]string { // the main file is unchanged
		m := maps.Clone(after)
		m["m.gen.go"] = mainFile
		return m
	}()
)

func generated(state map[string]string) map[string]string {
	m := maps.Clone(state)
	delete(m, "hand.go")
	return m
}

// filesOf returns the files of a tree, without folders.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	m := tree(t, dir)
	maps.DeleteFunc(m, func(name, _ string) bool { return strings.HasSuffix(name, "/") })
	return m
}

// TestFaults makes each step of a change fail in turn. The folder must then be as it was, without
// temporary files, and the next run must make the change.
func TestFaults(t *testing.T) {
	for _, c := range []map[string]string{after, afterSame} {
		for k := 0; ; k++ {
			dir := t.TempDir()
			put(t, dir, before)
			data := map[string][]byte{}
			for name, text := range generated(c) {
				data[name] = []byte(text)
			}
			p, err := New(dir, data, "internal")
			if err != nil {
				t.Fatal(err)
			}
			n, failed := 0, ""
			p.disk.fault = func(step string) error {
				if n++; n == k+1 {
					failed = step
					return errors.New("the disk is broken")
				}
				return nil
			}
			err = p.Apply(context.Background())
			if failed == "" {
				if err != nil {
					t.Fatal(err)
				}
				if got := filesOf(t, dir); !maps.Equal(got, c) {
					t.Errorf("without a fault: %q", got)
				}
				if k < 20 {
					t.Errorf("%d steps only", k)
				}
				break
			}
			if err == nil || !strings.Contains(err.Error(), "the disk is broken") {
				t.Errorf("step %d, %s, fails and Apply says %v", k, failed, err)
			}
			if got := filesOf(t, dir); !maps.Equal(got, before) {
				t.Errorf("step %d, %s, fails and leaves %q", k, failed, got)
			}
			if _, err := generate(dir, generated(c), "internal"); err != nil {
				t.Errorf("step %d, %s, failed, and the next run does too: %v", k, failed, err)
			}
			if got := filesOf(t, dir); !maps.Equal(got, c) {
				t.Errorf("step %d, %s, failed, and the next run leaves %q", k, failed, got)
			}
		}
	}
}

// TestBroken makes a step and all later ones fail, so that nothing can be undone. The next run must
// complete the change. Until then, a mix of old and new files must not build.
func TestBroken(t *testing.T) {
	stuck := 0
	for k := 0; ; k++ {
		dir := t.TempDir()
		put(t, dir, before)
		data := map[string][]byte{}
		for name, text := range generated(after) {
			data[name] = []byte(text)
		}
		p, err := New(dir, data, "internal")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		p.disk.fault = func(string) error {
			if n++; n > k {
				return errors.New("the disk is broken")
			}
			return nil
		}
		if err = p.Apply(context.Background()); err == nil {
			break
		}
		if strings.Contains(err.Error(), "the next run of graphc completes it") {
			stuck++
		}
		checkKilled(t, fmt.Sprintf("broken from step %d on", k), dir)
	}
	if stuck < 5 {
		t.Errorf("%d changes could not be undone", stuck)
	}
}

// TestRecoverFaults makes all steps of a change fail from some step on, and then all steps of the
// recovery from some step on. The next recovery must complete the change, and a mix of old and new
// files must never build.
func TestRecoverFaults(t *testing.T) {
	broken := errors.New("the disk is broken")
	from := func(k int) func(string) error {
		n := 0
		return func(string) error {
			if n++; n > k {
				return broken
			}
			return nil
		}
	}
	cut, step := 0, 3
	if testkit.Long() {
		step = 1
	}
	for k := 0; ; k += step {
		dir := t.TempDir()
		put(t, dir, before)
		data := map[string][]byte{}
		for name, text := range generated(after) {
			data[name] = []byte(text)
		}
		p, err := New(dir, data, "internal")
		if err != nil {
			t.Fatal(err)
		}
		p.disk.fault = from(k)
		if err := p.Apply(context.Background()); err == nil {
			break
		}
		for r := 0; ; r++ {
			same := filepath.Join(t.TempDir(), "m")
			if err := os.CopyFS(same, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			err := recoverWith(same, from(r))
			checkKilled(t, fmt.Sprintf("broken from step %d on, and again from step %d", k, r), same)
			if err == nil {
				break
			}
			if cut++; !errors.Is(err, broken) {
				t.Errorf("step %d: %v", r, err)
			}
		}
	}
	if cut < 10 {
		t.Errorf("%d times something is cut off", cut)
	}
}

// checkKilled checks a folder in which a change from one of the states (before, after) to the other one
// was interrupted. The folder must be in one of the two states or have no main file. After Recover, it
// must be in one of the two states.
func checkKilled(t *testing.T, what, dir string) {
	t.Helper()
	got := filesOf(t, dir)
	maps.DeleteFunc(got, func(name, _ string) bool { return strings.HasPrefix(name, tempPrefix) })
	if _, builds := got["m.gen.go"]; builds && !maps.Equal(got, before) && !maps.Equal(got, after) {
		t.Errorf("%s, and half is new: %q", what, got)
	}
	if err := Recover(dir); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if got := filesOf(t, dir); !maps.Equal(got, before) && !maps.Equal(got, after) {
		t.Errorf("%s, put right, and half is new: %q", what, got)
	}
}

// writerDir names the environment variable with the folder that TestWriter writes to. If it is set,
// this process is the one that TestKill kills.
const writerDir = "GRAPHC_TEST_WRITER"

// TestWriter is the process that TestKill kills: it writes the two states in turn.
func TestWriter(t *testing.T) {
	dir := os.Getenv(writerDir)
	if dir == "" {
		t.Skip("it is started by TestKill")
	}
	for {
		for _, state := range []map[string]string{after, before} {
			if _, err := generate(dir, generated(state), "internal"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestKill kills a process at many moments while it writes. The folder must be in the old or the
// new state, at the latest after the next run has begun.
func TestKill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	n := 40
	if testing.Short() {
		n = 8
	}
	dir := t.TempDir()
	put(t, dir, before)
	whole := 0
	for k := range n {
		cmd := exec.Command(self, "-test.run=^TestWriter$", "-test.timeout=1m")
		cmd.Env = append(os.Environ(), writerDir+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20*time.Millisecond + time.Duration(k*731)*time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the error says that the process was killed
		if left, _ := filepath.Glob(filepath.Join(dir, tempPrefix+"*")); len(left) == 0 {
			whole++
		}
		checkKilled(t, fmt.Sprintf("kill %d", k), dir)
	}
	t.Logf("%d of %d kills left nothing behind", whole, n)
}

// TestRecover: Recover ignores the files of a running process, does not replace files that graphc
// did not write, and rejects a journal with names outside of the folder.
func TestRecover(t *testing.T) {
	leave := func(t *testing.T, text string) (dir, tmp string) {
		dir = t.TempDir()
		tmp = filepath.Join(dir, tempPrefix+"1")
		put(t, tmp, map[string]string{"new0": head + "new", journalName: text})
		return dir, tmp
	}
	t.Run("running", func(t *testing.T) {
		dir, tmp := leave(t, `{"write":["a.go"]}`)
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		release := lock(root, filepath.Base(tmp))
		if err := Recover(dir); err != nil {
			t.Error(err)
		}
		if got := filesOf(t, dir); len(got) != 2 {
			t.Errorf("%q", got)
		}
		release()
		if err := Recover(dir); err != nil {
			t.Error(err)
		}
		want(t, dir, map[string]string{"a.go": head + "new"})
	})
	t.Run("foreign", func(t *testing.T) {
		dir, _ := leave(t, `{"write":["a.go"],"remove":["b.go"]}`)
		put(t, dir, map[string]string{"a.go": "mine", "b.go": "mine, too"})
		if err := Recover(dir); err == nil || !strings.Contains(err.Error(), "a.go was not written by graphc") {
			t.Error(err)
		}
		if got := filesOf(t, dir); got["a.go"] != "mine" || got["b.go"] != "mine, too" {
			t.Errorf("%q", got)
		}
	})
	for name, text := range map[string]string{"elsewhere": `{"write":["../a.go"]}`, "gone elsewhere": `{"remove":["/etc/passwd"]}`, "held elsewhere": `{"held":".."}`, "no journal": `{"write":`} {
		t.Run(name, func(t *testing.T) {
			dir, tmp := leave(t, text)
			if err := Recover(dir); err == nil || !strings.Contains(err.Error(), "half written") {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(tmp, "new0")); err != nil {
				t.Error(err)
			}
			if _, err := New(dir, nil); err == nil {
				t.Error("a folder that cannot be put right is written to")
			}
		})
	}
	t.Run("no folder", func(t *testing.T) {
		if err := Recover(filepath.Join(t.TempDir(), "no")); err != nil {
			t.Error(err)
		}
	})
	t.Run("a file", func(t *testing.T) {
		dir := t.TempDir()
		put(t, dir, map[string]string{tempPrefix + "77": "half", ".graph": "mine", tempPrefix + "notes": "mine, too", tempPrefix + "7x/a": "mine"})
		if err := Recover(dir); err != nil {
			t.Error(err)
		}
		want(t, dir, map[string]string{".graph": "mine", tempPrefix + "notes": "mine, too", tempPrefix + "7x/": "", tempPrefix + "7x/a": "mine"})
	})
}

// TestWriteFileFaults: if writing fails, the file is unchanged.
func TestWriteFileFaults(t *testing.T) {
	for k := 0; ; k++ {
		dir := t.TempDir()
		name := filepath.Join(dir, "x")
		if err := os.WriteFile(name, []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
		n, failed := 0, ""
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		d := disk{root: root, fault: func(step string) error {
			if n++; n == k+1 {
				failed = step
				return errors.New("the disk is broken")
			}
			return nil
		}}
		err = d.replace("x", []byte("new"), 0o644)
		data, _ := os.ReadFile(name)
		es, _ := os.ReadDir(dir)
		if failed == "" {
			if err != nil || string(data) != "new" || k < 5 {
				t.Errorf("after %d steps: %q, %v", k, data, err)
			}
			break
		}
		renamed := k >= 6 // the last step, which follows the renaming, syncs the folder
		if err == nil || string(data) != "old" && !renamed || len(es) != 1 {
			t.Errorf("step %d, %s, fails: %q, %d files, %v", k, failed, data, len(es), err)
		}
	}
}

// TestPieces: a file is written and synced in pieces, and a fault between two pieces is an error.
func TestPieces(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for text, pieces := range map[string]int{"": 1, "a": 1, "abcd": 1, "abcde": 2, "abcdefgh": 2, "abcdefghi": 3} {
		for fault := 0; fault <= pieces; fault++ {
			writes, syncs := 0, 0
			d := disk{root: root, piece: 4, fault: func(step string) error {
				switch step {
				case "write":
					writes++
					if writes == fault {
						return errors.New("the disk is broken")
					}
				case "sync":
					syncs++
				}
				return nil
			}}
			err := d.write("f", []byte(text), 0o600)
			got, e := root.ReadFile("f")
			want, whole := text, fault == 0
			if !whole {
				want = text[:min(len(text), 4*(fault-1))]
			}
			if e != nil || string(got) != want || (err == nil) != whole || whole && (writes != pieces || syncs != pieces) {
				t.Errorf("%q with fault %d: %q after %d writes and %d syncs: %v, %v", text, fault, got, writes, syncs, err, e)
			}
		}
	}
}
