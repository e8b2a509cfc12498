package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
)

// TestTutorial follows docs/tutorial.md in an empty folder: it writes the files that the page
// shows, runs its blocks of commands in order, each in a new shell, and compares their output. Two
// things differ from the page: the SavedModel is that of docs/tutorial, unless TUTORIAL_PYTHON
// names a Python with Keras, and graphc is this checkout.
func TestTutorial(t *testing.T) {
	testkit.NeedLong(t)
	root := testkit.Root(t)
	page, err := os.ReadFile(filepath.Join(root, "docs", "tutorial.md"))
	if err != nil {
		t.Fatal(err)
	}
	w := &walk{t: t, root: root, dir: t.TempDir(), address: freeAddress(t)}
	if python := os.Getenv("TUTORIAL_PYTHON"); python == "" {
		w.shell("cp -r " + filepath.Join(root, "docs", "tutorial") + "/* .")
	}
	for _, m := range block.FindAllStringSubmatch(string(page), -1) {
		kind, name, text := m[1], m[2], m[3]
		switch {
		case kind == "text":
			w.compare(text)
		case kind == "sh":
			w.shell(text)
		case name == "train.py":
			w.python(text)
		default:
			if err := os.WriteFile(filepath.Join(w.dir, name), []byte(strings.ReplaceAll(text, "localhost:8080", w.address)), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if w.commands < 15 || w.compared < 3 {
		t.Errorf("%d commands were run, and %d outputs compared", w.commands, w.compared)
	}
}

// block matches a block of code: its language, the name of the file that it shows, and its text.
var block = regexp.MustCompile("(?m)^```([a-z]+) ?(.*)\n((?:.*\n)*?)```$")

// walk is the state of a reader who follows the page.
type walk struct {
	t                  *testing.T
	root, dir, address string
	out                string // output of the commands that ran last
	commands, compared int
}

// local has the commands that replace "go get -tool" in this test, so that the module uses this
// checkout.
const local = `go mod edit -replace github.com/graphc/graphc=%[1]s -require github.com/graphc/graphc@v0.0.0 -tool github.com/graphc/graphc/cmd/graphc
go mod tidy`

func (w *walk) shell(text string) {
	w.t.Helper()
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			w.commands++
		}
	}
	text = strings.ReplaceAll(text, "localhost:8080", w.address)
	text = strings.ReplaceAll(text, "go get -tool github.com/graphc/graphc/cmd/graphc@latest", fmt.Sprintf(local, w.root))
	c := exec.CommandContext(w.t.Context(), "bash", "-e", "-o", "pipefail", "-c", text+"\npwd > \"$WALK\"\n")
	c.Dir = w.dir
	where := filepath.Join(w.t.TempDir(), "pwd")
	c.Env = append(os.Environ(), "GOFLAGS=", "WALK="+where)
	out, err := c.Output()
	if err != nil {
		if exit, ok := err.(*exec.ExitError); ok {
			out = append(out, exit.Stderr...)
		}
		w.t.Fatalf("%s\n%v: %s", text, err, out)
	}
	w.out = string(out)
	dir, err := os.ReadFile(where)
	if err != nil {
		w.t.Fatal(err)
	}
	w.dir = strings.TrimSpace(string(dir)) // a "cd" also applies to the commands that follow
}

// python runs the page's script if TUTORIAL_PYTHON is set. Otherwise it checks that
// docs/tutorial/train.py has the same text.
func (w *walk) python(text string) {
	w.t.Helper()
	if python := os.Getenv("TUTORIAL_PYTHON"); python != "" {
		if err := os.WriteFile(filepath.Join(w.dir, "train.py"), []byte(text), 0o666); err != nil {
			w.t.Fatal(err)
		}
		w.shell(python + " train.py >&2")
		return
	}
	script, err := os.ReadFile(filepath.Join(w.root, "docs", "tutorial", "train.py"))
	if err != nil {
		w.t.Fatal(err)
	}
	if text != string(script) {
		w.t.Error("docs/tutorial/train.py is not what the page shows")
	}
}

// compare compares the output of the commands that ran last with want. In want, … within a line
// matches any part of a line. A line that contains only … matches any number of lines.
func (w *walk) compare(want string) {
	w.t.Helper()
	w.compared++
	pattern := regexp.QuoteMeta(strings.TrimSpace(want))
	pattern = regexp.MustCompile(`(?m)^…$`).ReplaceAllString(pattern, `(?s:.*)`)
	pattern = strings.ReplaceAll(pattern, "…", ".*")
	if !regexp.MustCompile("^" + pattern + "$").MatchString(strings.TrimSpace(w.out)) {
		w.t.Errorf("the page shows\n%s\nand the commands print\n%s", want, w.out)
	}
}

// freeAddress returns an address that is free to listen on.
func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
