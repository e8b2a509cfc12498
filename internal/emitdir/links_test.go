package emitdir

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// link makes a symbolic link.
func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Skip(err)
	}
}

// twoFolders returns a folder to write to and one beside it that must not change.
func twoFolders(t *testing.T) (in, out string) {
	t.Helper()
	top := t.TempDir()
	put(t, top, map[string]string{"in/a.go": head, "out/x.go": head + "theirs", "out/rt/y.go": head + "theirs"})
	return filepath.Join(top, "in"), filepath.Join(top, "out")
}

// TestLinks: nothing is written, removed or read through a symbolic link in the folder.
func TestLinks(t *testing.T) {
	for what, c := range map[string]struct {
		to, name string // of the link
		files    []string
		owned    string
		says     string
	}{
		"a subfolder":              {"../out", "internal", []string{"internal/x.go"}, "none", "is a symbolic link"},
		"a folder in a subfolder":  {"../out", "internal", []string{"internal/rt/y.go"}, "none", "is a symbolic link"},
		"a subfolder, inside":      {".", "internal", []string{"internal/x.go"}, "none", "is a symbolic link"},
		"a folder of ours":         {"../out", "internal", []string{"b.go"}, "internal/rt", "is a symbolic link"},
		"a folder of ours itself":  {"../out", "internal", []string{"b.go"}, "internal", "is a symbolic link"},
		"a file":                   {"../out/x.go", "b.go", []string{"b.go"}, "none", "not written by graphc"},
		"a file that is not there": {"../out/new.go", "b.go", []string{"b.go"}, "none", "not written by graphc"},
		"a stale file":             {"../out/x.go", "c.go", []string{"b.go"}, "none", ""},
	} {
		in, out := twoFolders(t)
		link(t, c.to, filepath.Join(in, c.name))
		files := map[string]string{"a.go": head}
		for _, name := range c.files {
			files[name] = head + "theirs"
		}
		_, err := generate(in, files, c.owned)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v, want %q", what, err, c.says)
		}
		want(t, out, map[string]string{"x.go": head + "theirs", "rt/": "", "rt/y.go": head + "theirs"})
		if _, err := os.Lstat(filepath.Join(in, c.name)); err != nil {
			t.Errorf("%s: the link is gone", what)
		}
	}
}

// TestLinkLater: graphc does not write through a folder that becomes a link after New.
func TestLinkLater(t *testing.T) {
	in, out := twoFolders(t)
	p, err := New(in, map[string][]byte{"a.go": []byte(head + "new"), "internal/x.go": []byte(head)})
	if err != nil {
		t.Fatal(err)
	}
	link(t, "../out", filepath.Join(in, "internal"))
	if err := p.Apply(context.Background()); err == nil || !strings.Contains(err.Error(), "is a symbolic link") {
		t.Errorf("%v", err)
	}
	want(t, out, map[string]string{"x.go": head + "theirs", "rt/": "", "rt/y.go": head + "theirs"})
	if b, err := os.ReadFile(filepath.Join(in, "a.go")); err != nil || string(b) != head {
		t.Errorf("%q, %v", b, err)
	}
}

// TestFolderLink: the folder that the user names may be a symbolic link.
func TestFolderLink(t *testing.T) {
	in, _ := twoFolders(t)
	name := filepath.Join(filepath.Dir(in), "link")
	link(t, "in", name)
	if _, err := generate(name, map[string]string{"a.go": head + "new", "sub/b.go": head}); err != nil {
		t.Error(err)
	}
	want(t, in, map[string]string{"a.go": head + "new", "sub/": "", "sub/b.go": head})
}

// TestPlanted plants forged remains of an interrupted change. Recover must not change anything
// outside of the folder, and must not add foreign files to the folder.
func TestPlanted(t *testing.T) {
	tmp := tempPrefix + "1"
	for what, c := range map[string]struct {
		files map[string]string
		links map[string]string
		says  string
	}{
		"through a link":     {map[string]string{tmp + "/new0": head + "new", tmp + "/journal.json": `{"write":["l/x.go"]}`}, map[string]string{"l": "../out"}, "is a symbolic link"},
		"new through a link": {map[string]string{tmp + "/new0": head + "new", tmp + "/journal.json": `{"write":["l/new.go"]}`}, map[string]string{"l": "../out"}, "is a symbolic link"},
		"gone by a link":     {map[string]string{tmp + "/journal.json": `{"remove":["l/x.go"]}`}, map[string]string{"l": "../out"}, "is a symbolic link"},
		"held by a link":     {map[string]string{tmp + "/held": head, tmp + "/journal.json": `{"held":"l/x.go"}`}, map[string]string{"l": "../out"}, "is a symbolic link"},
		"from a link":        {map[string]string{tmp + "/journal.json": `{"write":["b.go"]}`}, map[string]string{tmp + "/new0": "../../out/x.go"}, "not written by graphc"},
		"a journal's link":   {map[string]string{tmp + "/new0": head}, map[string]string{tmp + "/journal.json": "../../out/x.go"}, "its journal is not valid"},
		"a folder's link":    {nil, map[string]string{tmp: "../out"}, ""},
		"others' text":       {map[string]string{tmp + "/new0": "package m", tmp + "/journal.json": `{"write":["b.go"]}`}, nil, "not written by graphc"},
		"a folder as text":   {map[string]string{tmp + "/new0/x": head, tmp + "/journal.json": `{"write":["b.go"]}`}, nil, "not written by graphc"},
	} {
		in, out := twoFolders(t)
		put(t, in, c.files)
		for name, to := range c.links {
			link(t, to, filepath.Join(in, name))
		}
		err := Recover(in)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), tmp+" is not graphc's")) {
			t.Errorf("%s: %v, want %q", what, err, c.says)
		}
		want(t, out, map[string]string{"x.go": head + "theirs", "rt/": "", "rt/y.go": head + "theirs"})
		if _, err := os.Lstat(filepath.Join(in, "b.go")); err == nil {
			t.Errorf("%s: b.go is made", what)
		}
	}
}

// TestScratch: Scratch removes the folder of an ended process, but not that of a running one.
func TestScratch(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{tempPrefix + "12/exe": "half"})
	name, remove, err := Scratch(dir)
	if err != nil {
		t.Fatal(err)
	}
	put(t, name, map[string]string{"exe": "new"})
	other, removeOther, err := Scratch(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := removeOther(); err != nil {
		t.Error(err)
	}
	base := filepath.Base(name)
	want(t, dir, map[string]string{base + "/": "", base + "/exe": "new"})
	if err := remove(); err != nil || other == name {
		t.Error(err)
	}
	want(t, dir, map[string]string{})
	if _, _, err := Scratch(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there")
	}
}
