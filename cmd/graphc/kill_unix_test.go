//go:build unix

package main

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/testkit"
)

// TestKilled kills graphc build and graphc generate at many moments. The next command must leave
// the same package as without the kill, and no other files in its folder. An executable must always
// be complete: it is the old one or the new one.
func TestKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const graph = `node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } } } } }
node { name: "old" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "new" op: "Abs" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
`
	dir := t.TempDir()
	command := func(args ...string) *exec.Cmd {
		c := &exec.Cmd{Path: self, Args: append([]string{"graphc"}, args...), Dir: dir, Env: os.Environ()}
		return c
	}
	must := func(args ...string) time.Duration {
		t.Helper()
		began := time.Now()
		if text, err := command(args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, text)
		}
		return time.Since(began)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	kill := func(after time.Duration, args ...string) {
		t.Helper()
		c := command(args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(after)
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed
	}
	write("graph.pbtxt", graph)
	config := func(fetch string) {
		write("graphc.yaml", "version: 1\nmodels:\n  - path: graph.pbtxt\n    out: p\n    runtime: standalone\n    feeds: [x]\n    fetches: [\""+fetch+":0\"]\n")
	}
	build := func(fetch string) []string {
		return []string{"build", "graph.pbtxt", "--feed", "x", "--fetch", fetch + ":0", "--standalone", "-o", "p"}
	}
	generate := func(fetch string) []string {
		config(fetch)
		return []string{"generate"}
	}
	for name, args := range map[string]func(fetch string) []string{"build": build, "generate": generate} {
		if err := os.RemoveAll(filepath.Join(dir, "p")); err != nil {
			t.Fatal(err)
		}
		must(args("new")...)
		fresh := tree(t, filepath.Join(dir, "p"))
		took := must(args("old")...)
		old := tree(t, filepath.Join(dir, "p"))
		if maps.Equal(old, fresh) {
			t.Fatalf("%s: both packages are the same", name)
		}
		n := testkit.Times(3, 60)
		for i := range n {
			must(args("old")...)
			kill(took*time.Duration(i+1)/time.Duration(n), args("new")...)
			must(args("new")...)
			if got := tree(t, filepath.Join(dir, "p")); !maps.Equal(got, fresh) {
				t.Fatalf("%s: %d of %d: the next command leaves another package:\n%v", name, i, n, different(got, fresh))
			}
		}
	}

	if !testkit.Long() {
		return
	}
	exe := func(fetch string) []string {
		return []string{"build", "graph.pbtxt", "--feed", "x", "--fetch", fetch + ":0", "--exe", "bin/prog"}
	}
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	must(exe("new")...)
	took := must(exe("old")...)
	for i := range 12 {
		kill(took*time.Duration(i)/10, exe("new")...)
		out, err := exec.Command(filepath.Join(dir, "bin", "prog"), "-feed", "x=[-1,2]").Output()
		if err != nil || !bytes.Contains(out, []byte("[1, -2]")) && !bytes.Contains(out, []byte("[1, 2]")) {
			t.Fatalf("after %d tenths: %v, %s", i, err, out)
		}
		must(exe("old")...)
	}
	if all := tree(t, filepath.Join(dir, "bin")); len(all) != 1 {
		t.Errorf("beside the executable there is more: %d files", len(all))
	}
}

// tree returns the files below dir, including the journal of an unfinished change.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, dir)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// different lists the files that differ between a and b, or that only one of the two has.
func different(a, b map[string]string) (list []string) {
	for name, text := range a {
		if other, ok := b[name]; !ok || other != text {
			list = append(list, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			list = append(list, "no "+name)
		}
	}
	return list
}
