package base

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/rt/files"
)

// EnclosingModule searches dir and its parent folders for a go.mod. It returns the folder and the
// text of the first go.mod that it finds, or "" as the folder. The folder dir need not exist.
func EnclosingModule(dir string) (root string, text []byte, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", nil, err
	}
	for {
		text, err := files.ReadFile(filepath.Join(dir, "go.mod"), 1<<24)
		if err == nil {
			return dir, text, nil
		}
		if filepath.Dir(dir) == dir {
			return "", nil, nil
		}
		dir = filepath.Dir(dir)
	}
}

// CanImportRuntime reports whether code in a module may import graphc's run time. This is so if the
// module is graphc's own module or requires it. The parameter text is the module's go.mod.
func CanImportRuntime(text []byte) bool {
	if modfile.ModulePath(text) == ModulePath {
		return true
	}
	f, err := modfile.ParseLax("go.mod", text, nil)
	return err == nil && slices.ContainsFunc(f.Require, func(r *modfile.Require) bool { return r.Mod.Path == ModulePath })
}

// ImportPath returns the import path of the package in dir, according to the go.mod of the
// enclosing module. It returns "" if dir is not in a module.
func ImportPath(dir string) (string, error) {
	root, text, err := EnclosingModule(dir)
	if err != nil || root == "" {
		return "", err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil {
		return "", err
	}
	if rel == "." {
		return modfile.ModulePath(text), nil
	}
	return modfile.ModulePath(text) + "/" + filepath.ToSlash(rel), nil
}

// CheckPath is the prefix of the import paths of packages that graphc emits into a temporary module
// to check or time them; see NewCheckModule. It is below graphc's own module path, so that programs
// in this module may import graphc's internal packages.
const CheckPath = ModulePath + "/check"

// goDirective is the Go version in the go.mod of a check module.
const goDirective = "1.26"

// NewCheckModule makes a module in dir in which programs check or time emitted packages. It copies
// those packages of graphc that the emitted packages or these programs import. The sources are
// embedded in this executable, so their version fits the emitted code. The parameter kind is the
// kind of GPUs; see ForGPUs.
func NewCheckModule(dir, kind string) error {
	err := fs.WalkDir(graphc.Sources(), ".", func(name string, d fs.DirEntry, err error) error {
		full := filepath.Join(dir, filepath.FromSlash(name))
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(full, 0o777)
		case strings.HasSuffix(name, "_test.go"):
			return nil
		}
		data, err := fs.ReadFile(graphc.Sources(), name)
		if err != nil {
			return err
		}
		return os.WriteFile(full, data, 0o666)
	})
	if err != nil {
		return err
	}
	text := "module " + ModulePath + "\n\ngo " + goDirective + "\n"
	if kind == "cuda" {
		text += "\nrequire (\n\tgorgonia.org/cu " + cuVersion + "\n\tgithub.com/google/uuid v1.1.1\n\tgithub.com/pkg/errors v0.9.1\n)\n"
	}
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o666)
}

// goGrace is the time that an interrupted go command has to clean up before it is killed.
const goGrace = 3 * time.Second

// gpuKey is the context key for the kind of GPUs for which GoCommand builds programs.
type gpuKey struct{}

// ForGPUs returns a context that makes GoCommand and GoRun build programs for a kind of GPUs. The
// kind is cuda, sim (simulated GPUs), or "" for programs without GPUs.
func ForGPUs(ctx context.Context, kind string) context.Context {
	return context.WithValue(ctx, gpuKey{}, kind)
}

// GPUKind returns the kind of GPUs that ForGPUs stored in the context, or "".
func GPUKind(ctx context.Context) string {
	kind, _ := ctx.Value(gpuKey{}).(string)
	return kind
}

// cuVersion is the version of gorgonia.org/cu in go.mod. go.sum has the checksums of this module and of
// its dependencies.
const cuVersion = "v0.9.6"

// GPUTags maps kinds of GPUs to build tags.
var GPUTags = map[string]string{"cuda": "cuda", "sim": "simgpu"}

// GoCommand returns the go command with these arguments, ready to run in dir. The command runs with
// CGO_ENABLED=0, except for CUDA programs. The parameter own must be true if dir is in a temporary
// module that graphc made. The go command then ignores the user's GOFLAGS and workspace.
func GoCommand(ctx context.Context, dir string, own bool, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = dir
	// An interrupted go command removes its temporary files; a killed one leaves them.
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = goGrace
	c.Env = c.Environ()
	kind := GPUKind(ctx)
	if tag := GPUTags[kind]; tag != "" && len(args) > 0 && args[0] == "build" {
		c.Args = slices.Insert(c.Args, 2, "-tags="+tag)
	}
	switch {
	case kind == "cuda" && own: // -mod=mod lets the go command add missing requirements of the CUDA modules to go.mod
		c.Env = append(c.Env, "CGO_ENABLED=1", "GOWORK=off", "GOFLAGS=-mod=mod")
	case kind == "cuda":
		c.Env = append(c.Env, "CGO_ENABLED=1")
	case own:
		c.Env = append(c.Env, "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	default:
		c.Env = append(c.Env, "CGO_ENABLED=0")
	}
	return c
}

// GoRun runs the go command. If the command fails, the error contains its output.
func GoRun(ctx context.Context, dir string, own bool, args ...string) error {
	Doing(ctx, "go "+args[0])
	c := GoCommand(ctx, dir, own, args...)
	text, err := c.CombinedOutput()
	var missing *exec.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &missing):
		return fmt.Errorf("the go command is needed: %w", err)
	}
	return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, text)
}
