// Package testkit has shared helpers for tests. They find the recorded cases, build the graphc
// command once for all tests, and report whether long tests are enabled.
package testkit

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/graphc/graphc/internal/cases"
)

// Long reports whether long tests, which take minutes, are enabled. This is so if GRAPHC_LONG is set, or if
// GRAPHC_SHARED names a folder of recorded cases.
func Long() bool { return os.Getenv("GRAPHC_LONG") != "" || cases.Shared() != "" }

// NeedLong skips the test unless long tests are enabled.
func NeedLong(t testing.TB) {
	t.Helper()
	if !Long() {
		t.Skip("this takes minutes: set GRAPHC_LONG=1")
	}
}

// Times returns the number of repetitions for a test with random input: the parameter many if long
// tests are enabled, otherwise the parameter few.
func Times(few, many int) int {
	if Long() {
		return many
	}
	return few
}

// NeedShared returns the given path in the folder that GRAPHC_SHARED names. If GRAPHC_SHARED is not
// set, the test is skipped. If the path does not exist, the test fails.
func NeedShared(t testing.TB, path ...string) string {
	t.Helper()
	if cases.Shared() == "" {
		t.Skip("this needs the shared material: GRAPHC_SHARED names its folder")
	}
	p := filepath.Join(append([]string{cases.Shared()}, path...)...)
	if _, err := os.Stat(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// SharedCases returns the folders of the named corpora below $GRAPHC_SHARED/cases, or
// nothing if GRAPHC_SHARED is not set.
func SharedCases(t testing.TB, corpora ...string) []string {
	t.Helper()
	var dirs []string
	for _, c := range corpora {
		if cases.Shared() != "" {
			dirs = append(dirs, NeedShared(t, "cases", c))
		}
	}
	return dirs
}

// Root returns the module's root folder.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, e := os.Stat(filepath.Join(dir, "go.mod")); e == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("no go.mod in this folder or above it")
	return ""
}

// Files returns the repository's files whose names end with ext, relative to the root folder. Files that
// git ignores are left out. In a copy of the sources without a git repository, all files are returned.
func Files(t testing.TB, ext string) []string {
	t.Helper()
	root := Root(t)
	out, err := exec.Command("git", "-C", root, "ls-files", "-co", "--exclude-standard", "*"+ext).Output()
	names := strings.Fields(string(out))
	if err != nil {
		names = nil
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ext) {
				path, err = filepath.Rel(root, path)
				names = append(names, filepath.ToSlash(path))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		_, err := os.Stat(filepath.Join(root, name))
		return err != nil // git also lists files that have been deleted, but are still in its index
	})
}

// Sample returns the folders of the named corpora in testdata/cases, or testdata/cases itself if no corpus
// is named.
func Sample(t testing.TB, corpora ...string) []string {
	t.Helper()
	root := filepath.Join(Root(t), "testdata", "cases")
	if len(corpora) == 0 {
		return []string{root}
	}
	var dirs []string
	for _, c := range corpora {
		dirs = append(dirs, filepath.Join(root, c))
	}
	return dirs
}

// Case returns the case with the given name, such as "session/fetch_same_twice", from a corpus in
// testdata/cases.
func Case(t testing.TB, corpus, name string) *cases.Case {
	t.Helper()
	all, err := cases.Find(Sample(t, corpus))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Rel == name {
			if c.Err != nil {
				t.Fatal(c.Err)
			}
			return c
		}
	}
	t.Fatalf("testdata/cases/%s has no case %s", corpus, name)
	return nil
}

// CoverDir returns the folder to which child processes write coverage data, or "" if coverage is
// not measured. "make cover" sets GRAPHC_COVERDIR.
func CoverDir() string { return os.Getenv("GRAPHC_COVERDIR") }

var built struct {
	once sync.Once
	path string
	err  error
	text string
}

// Tool returns the path of the graphc command. The go command builds it and keeps it in
// its cache, so all packages' tests share one build.
//
// The go command does not count the tool's sources as inputs of a test that only runs the tool, and would
// reuse cached results after a change. A test that uses Tool must therefore import the packages of
// internal/tool that it covers, and read the files of cmd/graphc.
func Tool(t testing.TB) string {
	t.Helper()
	built.once.Do(func() {
		var cmd *exec.Cmd
		if CoverDir() != "" {
			built.path = filepath.Join(CoverDir(), "..", "graphc")
			cmd = exec.Command("go", "build", "-cover", "-coverpkg=./...", "-o", built.path, "./cmd/graphc")
			os.Setenv("GOCOVERDIR", CoverDir())
		} else {
			cmd = exec.Command("go", "tool", "-n", "graphc")
		}
		cmd.Dir = Root(t)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		built.err, built.text = err, stderr.String()
		if built.path == "" {
			built.path = strings.TrimSpace(string(out))
		}
	})
	if built.err != nil {
		t.Fatalf("building graphc: %v\n%s", built.err, built.text)
	}
	return built.path
}
