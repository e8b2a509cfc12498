package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/graphc/graphc/internal/tool/base"
)

// pathGraph is a model that all commands accept, with a variable.
const pathGraph = `node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } } } } }
node { name: "v" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } } } } attr { key: "shared_name" value { s: "v" } } }
node { name: "a" op: "AssignVariableOp" input: "v" input: "x" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "y" op: "ReadVariableOp" input: "v" input: "^a" attr { key: "dtype" value { type: DT_FLOAT } } }
versions { producer: 1000 }
`

// pathCommands are command lines in which PATH is a file or folder to be read. The other arguments
// of each command are valid.
var pathCommands = []string{
	"build PATH -o out", "build PATH PATH -o out", "build graph.pbtxt -o out --config PATH", "build graph.pbtxt -o out --checkpoint PATH",
	"build graph.pbtxt -o out --ops PATH", "build graph.pbtxt -o out --profile PATH", "build graph.pbtxt -o out --session-config PATH",
	"generate -f PATH", "check -f PATH", "inspect PATH", "inspect graph.pbtxt PATH", "dump PATH", "dump PATH --html out.html", "dump PATH --partitions out", "explain PATH", "explain PATH y",
	"run PATH", "run graph.pbtxt --feed x=PATH", "run graph.pbtxt --feed PATH", "run graph.pbtxt --feed x=[1,2] --restore PATH", "run graph.pbtxt --feed x=[1,2] --files PATH",
	"verify PATH", "bench PATH", "diff PATH", "init --force PATH",
}

// command runs a command line and returns its exit code and what it prints.
func command(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = execute(context.Background(), args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// TestPathOnce checks that the message about a file that cannot be read contains the path of the
// file once, and does not contain the base name of the file a second time.
func TestPathOnce(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{"graph.pbtxt": pathGraph, "go.mod": "module example.com/m\n\ngo 1.24\n", "sub/bad.pbtxt": "node { nome: 1 }",
		"sub/two.pbtxt": `node { name: "a" op: "A" } node { name: "b" op: "B" }`, "sub/folder.npy/x": "", "sub/half/saved_model.pb": "\xff\xff"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{"sub/none.npy", "none.npy", filepath.Join(dir, "none.npz"), "sub/folder.npy", "sub/bad.pbtxt", "sub/two.pbtxt", "sub/two.pbtxt/below.npy", "sub/half"}
	if err := os.Symlink("loop.json", "loop.json"); err == nil { // a link to itself, which even the administrator cannot read
		paths = append(paths, "loop.json")
	}
	if err := os.WriteFile("shut.npy", []byte("x"), 0); err == nil && os.Getuid() > 0 {
		paths = append(paths, "shut.npy")
	}
	for _, c := range pathCommands {
		for _, p := range paths {
			args := strings.Fields(strings.ReplaceAll(c, "PATH", p))
			code, out, errs := command(args...)
			if code == base.ExitOK {
				continue
			}
			for _, line := range strings.Split(errs, "\n") {
				// An indented line suggests a command, which contains the path again.
				if n := strings.Count(line, filepath.Base(p)); n > 1 && !strings.HasPrefix(line, "  ") {
					t.Errorf("graphc %s:\n%s", strings.Join(args, " "), line)
				}
			}
			if !strings.Contains(out+errs, filepath.Base(p)) {
				t.Errorf("graphc %s: %s has no path", strings.Join(args, " "), errs)
			}
			checkFlags(t, args, errs)
		}
	}
}

// checkFlags checks the flags that a message names: the command must have them, and each must have
// two dashes.
func checkFlags(t *testing.T, args []string, message string) {
	t.Helper()
	c, _, err := newRoot(&base.App{}).Find(args)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(message) {
		if strings.HasPrefix(line, "  ") { // a suggested command
			continue
		}
		if problem := badFlag(c, line); problem != "" {
			t.Errorf("graphc %s: %s:\n%s", strings.Join(args, " "), problem, message)
		}
	}
}

// aFlag matches a flag in a text, with one or two dashes.
var aFlag = regexp.MustCompile(`(?:^|[\s("'])(--?)([a-z][a-z-]+)`)

// badFlag describes the first wrong flag in a text, or returns "". A flag with one dash is wrong. A
// flag that the command lacks is wrong, too, unless the words "(its flag" precede it. Such a flag
// belongs to an emitted program.
func badFlag(c *cobra.Command, text string) string {
	for _, m := range aFlag.FindAllStringSubmatch(text, -1) {
		known := m[2] == "help" || c.Flags().Lookup(m[2]) != nil || c.InheritedFlags().Lookup(m[2]) != nil
		if m[1] == "-" || !known && !strings.Contains(text, "(its flag "+strings.TrimSpace(m[0])) {
			return "there is no flag " + m[1] + m[2]
		}
	}
	return ""
}

// TestHelpFlags checks the flags in the help of each command, except flags of one letter. Each of
// these flags must have two dashes, and must be a flag of at least one command.
func TestHelpFlags(t *testing.T) {
	all := newRoot(&base.App{}).Commands()
	known := map[string]bool{"help": true}
	for _, c := range all {
		c.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	}
	for _, c := range all {
		_, out, errs := command("help", c.Name())
		for _, m := range aFlag.FindAllStringSubmatch(out+errs, -1) {
			if m[1]+m[2] != "-tags" && (m[1] == "-" || !known[m[2]]) { // -tags is a flag of the go command
				t.Errorf("graphc help %s has %s%s", c.Name(), m[1], m[2])
			}
		}
	}
}

// TestMessagesNameFlags: messages about mistakes name flags that the command has.
func TestMessagesNameFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	files := map[string]string{"graph.pbtxt": pathGraph,
		"rank.pbtxt": `node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
node { name: "p" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 8 } } } } }
node { name: "y" op: "Reshape" input: "p" input: "x" attr { key: "T" value { type: DT_FLOAT } } attr { key: "Tshape" value { type: DT_INT32 } } }
node { name: "z" op: "Softmax" input: "y" attr { key: "T" value { type: DT_FLOAT } } } versions { producer: 1000 }`,
		"files.pbtxt": `node { name: "n" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } attr { key: "shape" value { shape { } } } }
node { name: "y" op: "ReadFile" input: "n" } versions { producer: 1000 }`,
		"device.pbtxt": `node { name: "x" op: "Placeholder" device: "/device:CPU:1" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { } } } }
node { name: "y" op: "Neg" input: "x" device: "/device:CPU:1" attr { key: "T" value { type: DT_FLOAT } } } versions { producer: 1000 }`,
		"go.mod": "module example.com/m\n\ngo 1.24\n",
	}
	for _, m := range []string{"rank", "files", "device", "graph"} {
		limits := ""
		if m == "graph" {
			limits = "\n    limits: {nodes: 1}"
		}
		files[m+".yaml"] = "version: \"1\"\nmodels:\n  - path: " + m + ".pbtxt\n    out: out" + limits + "\n"
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for line, says := range map[string]string{
		"build rank.pbtxt -o out": "--shape x=", "build files.pbtxt -o out": "--allow-files", "build device.pbtxt -o out": "--devices cpu:0,cpu:1", "build graph.pbtxt -o out --max-nodes 1": "--max-nodes raises",
		"run rank.pbtxt": "--shape x=", "run files.pbtxt": "--allow-files", "run device.pbtxt": "--devices cpu:0,cpu:1", "explain rank.pbtxt": "--shape x=", "dump files.pbtxt --plan": "--allow-files", "dump device.pbtxt": "--devices",
		"generate -f rank.yaml": "shapes: {x:", "generate -f files.yaml": "allow_files: true", "generate -f device.yaml": "devices: [cpu:0, cpu:1]", "check -f graph.yaml": "limits.nodes raises",
		"run graph.pbtxt --lines --feed x=[1,2]": "--lines and --feed", "run graph.pbtxt": "--help", "run graph.pbtxt --feed x=hello": "--feed 'x=[1]'", "run graph.pbtxt --feed hello": "--feed hello",
		"run graph.pbtxt --run a --signature b": "--run and --signature", "build graph.pbtxt": "-o DIR", "build graph.pbtxt -o d --signature s --fetch y": "exclude each other", "run graph.pbtxt --feed x=[1,2] --max-bytes 1": "",
	} {
		args := strings.Fields(line)
		code, _, errs := command(args...)
		if code == base.ExitOK || !strings.Contains(errs, says) {
			t.Errorf("graphc %s: exit %d, %q expected:\n%s", line, code, says, errs)
		}
		checkFlags(t, args, errs)
	}
}
