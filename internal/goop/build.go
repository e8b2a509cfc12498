package goop

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/graphc/graphc/plan"
)

// folder is a folder in the user's module. The go command compiles the helper, which is the program
// that calls the user's functions, as a package in this folder. The source comes from an overlay,
// so nothing is written to this folder.
const folder = "graphc-go-ops"

// build compiles the helper, a program that calls the functions. The error contains the compiler's
// messages, for example about a missing function or one with other parameters.
func (s *Set) build(ctx context.Context, calls []*plan.Foreign, dir string) (string, error) {
	files, err := source(calls)
	if err != nil {
		return "", err
	}
	root, err := filepath.Abs(s.dir)
	if err != nil {
		return "", err
	}
	over, bin := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "helper")
	replace := map[string]string{}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, folder, name)] = file
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(over, text, 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-overlay", over, "-ldflags=-s -w", "-o", bin, "./"+folder)
	cmd.Dir = root
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd) } // also end the compilers that the go command started
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", fmt.Errorf("the Go functions of ops do not compile, or do not fit their calls:\n%s%w", complaint(out, calls), err)
	}
	return bin, nil
}

// complaint returns the compiler's errors and the expected types.
func complaint(out []byte, calls []*plan.Foreign) string {
	var b strings.Builder
	for l := range strings.Lines(string(out)) {
		if !strings.HasPrefix(l, "#") {
			b.WriteString("  " + strings.TrimPrefix(strings.TrimRight(l, "\n"), folder+string(filepath.Separator)) + "\n")
		}
	}
	for _, f := range calls {
		fmt.Fprintf(&b, "  %s.%s is called as a %s\n", f.Path, f.Name, goType(f.Type))
	}
	return b.String()
}
