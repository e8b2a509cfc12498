package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/internal/tool/base"
)

// pages lists the Markdown files of the repository, relative to its root.
func pages(t *testing.T) (root string, names []string) {
	t.Helper()
	root = testkit.Root(t)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); path != root && (strings.HasPrefix(n, ".") || n == "testdata" || n == "bin" || n == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) == ".md" {
			name, err := filepath.Rel(root, path)
			names = append(names, filepath.ToSlash(name))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return root, names
}

// TestTranscripts runs the commands of blocks of the kind "console" in the pages, from the root of the repository,
// and compares their output. The lines after "$ COMMAND" are its output, or all of it with -update. DIR is a temporary
// folder for each page.
func TestTranscripts(t *testing.T) {
	root, names := pages(t)
	bin := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "graphc")); err != nil {
		t.Fatal(err) // the test's own binary is the command where it is called by that name
	}
	ran := 0
	for _, name := range names {
		page, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		now := console.ReplaceAllFunc(page, func(block []byte) []byte {
			ran++
			return transcript(t, root, dir, bin, block)
		})
		if bytes.Equal(now, page) {
			continue
		}
		if *update {
			if err := os.WriteFile(filepath.Join(root, name), now, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Errorf("%s shows other output than its commands have: go test ./cmd/graphc -run TestTranscripts -update\n%s", name, firstDifference(string(page), string(now)))
	}
	if ran == 0 {
		t.Error("no page has a transcript")
	}
}

var console = regexp.MustCompile("(?m)^```console\n(?:.*\n)*?```$")

// transcript runs the commands of a block and returns it with their output.
func transcript(t *testing.T, root, dir, bin string, block []byte) []byte {
	var b strings.Builder
	b.WriteString("```console\n")
	for line := range strings.Lines(string(block)) {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		c := exec.CommandContext(t.Context(), "sh", "-c", command)
		c.Dir = root
		c.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "DIR="+dir, "LC_ALL=C")
		out, err := c.CombinedOutput()
		if err != nil && len(out) == 0 {
			t.Errorf("%s: %v", command, err)
		}
		b.WriteString(line)
		b.WriteString(strings.ReplaceAll(string(out), dir, "$DIR"))
	}
	b.WriteString("```")
	return []byte(b.String())
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return "- " + x[i] + "\n+ " + y[i]
		}
	}
	return "one is longer"
}

// TestPageCommands: commands of graphc that pages mention exist, as do their flags, which have two dashes.
func TestPageCommands(t *testing.T) {
	root, names := pages(t)
	cmd := newRoot(&base.App{})
	seen := 0
	for _, name := range names {
		page, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range commands(string(page)) {
			seen++
			if problem := checkCommand(cmd, line); problem != "" {
				t.Errorf("%s: %q: %s", name, line, problem)
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d commands were found", seen)
	}
}

var (
	inline = regexp.MustCompile("`([^`\n]+)`")
	called = regexp.MustCompile(`(?:^|[\s(;&|])(?:go tool )?graphc ([a-z].*)`)
)

// commands returns the calls of graphc in a page, without "graphc": those in blocks of code and in lines between
// back quotes.
func commands(page string) []string {
	var found []string
	take := func(code string) {
		code, _, _ = strings.Cut(code, " #")
		for part := range strings.FieldsFuncSeq(code, func(r rune) bool { return r == ';' || r == '|' || r == '&' }) {
			if m := called.FindStringSubmatch(" " + part); m != nil {
				found = append(found, strings.TrimSpace(m[1]))
			}
		}
	}
	block := false
	for line := range strings.Lines(page) {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			block = !block
		case block && !strings.HasPrefix(line, "$ ") && strings.Contains(line, "$ "): // a program's output
		case block, strings.HasPrefix(line, "    "), strings.HasPrefix(line, "//go:generate "):
			take(strings.TrimPrefix(strings.TrimSpace(line), "$ "))
		default:
			for _, m := range inline.FindAllStringSubmatch(line, -1) {
				take(m[1])
			}
		}
	}
	return found
}

// checkCommand returns why the arguments cannot be graphc's, or "".
func checkCommand(root *cobra.Command, line string) string {
	words := strings.Fields(line)
	if slices.ContainsFunc(words[:1], func(w string) bool { return strings.ToUpper(w) == w }) {
		return "" // a placeholder
	}
	name := strings.Trim(words[0], ".,:)")
	cmd, _, err := root.Find([]string{name})
	if err != nil || cmd == root {
		if name == "help" || name == "completion" || len(words) > 4 && !strings.Contains(line, " -") {
			return "" // prose in a block of code
		}
		return "there is no such command"
	}
	for _, w := range words[1:] {
		w = strings.Trim(w, "[]()'\",.…:")
		w, _, _ = strings.Cut(w, "=")
		w, _, _ = strings.Cut(w, "|")
		switch flag, long := strings.CutPrefix(w, "--"); {
		case w == "--":
			return ""
		case long && flag != "help" && cmd.Flags().Lookup(flag) == nil && cmd.InheritedFlags().Lookup(flag) == nil:
			return "there is no flag " + w
		case !long && len(w) > 2 && w[0] == '-' && known(cmd.Flags(), w[1:]):
			return "flag " + w + " has two dashes"
		}
	}
	return ""
}

func known(f *pflag.FlagSet, name string) bool { return f.Lookup(name) != nil }

// TestLinks: links between pages, to files of the repository and to headings lead somewhere.
func TestLinks(t *testing.T) {
	root, names := pages(t)
	headings := map[string][]string{}
	for _, name := range names {
		page, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		headings[name] = anchors(string(page))
	}
	for _, name := range names {
		page, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(page), -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") || strings.HasPrefix(file, "mailto:") {
				continue
			}
			target := name
			if file != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), file))
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, m[1])
				continue
			}
			if anchor != "" && !slices.Contains(headings[target], anchor) {
				t.Errorf("%s links to %s, but %s has no such heading; it has %q", name, m[1], target, headings[target])
			}
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	dropped = regexp.MustCompile("[^\\p{L}\\p{N} _-]")
)

// anchors returns the names by which GitHub links to a page's headings.
func anchors(page string) []string {
	var names []string
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		text := dropped.ReplaceAllString(strings.ToLower(m[1]), "")
		names = append(names, strings.ReplaceAll(text, " ", "-"))
	}
	return names
}
