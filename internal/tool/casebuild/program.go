package casebuild

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/graphc/graphc/codegen"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
)

// TempModule makes a module for building programs that import emitted packages, and returns its
// folder. The parameter kind is the kind of GPUs for which the programs are built. The folder is
// the parameter keep or, if keep is "", a temporary folder that the caller must remove.
func TempModule(keep, kind string) (string, error) {
	dir := keep
	var err error
	if keep == "" {
		dir, err = os.MkdirTemp("", "graphc-check-")
	} else {
		err = os.MkdirAll(keep, 0o777)
	}
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	if err := base.NewCheckModule(dir, kind); err != nil {
		if keep == "" {
			err = errors.Join(err, os.RemoveAll(dir))
		}
		return "", err
	}
	return dir, nil
}

// WriteMain writes a package main into dir. The package declares a variable called table, which maps
// the names of emitted packages to their constructors. The parameter body is the source of the body
// of function main.
func WriteMain(dir string, packages []string, body string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package main\n\nimport (\n\t\"os\"\n\n\t%q\n\t%q\n", base.ModulePath+"/internal/caserun", base.ModulePath+"/rt")
	for _, p := range packages {
		fmt.Fprintf(&b, "\t%q\n", base.CheckPath+"/"+p)
	}
	b.WriteString(")\n\nvar table = caserun.Table{\n")
	for _, p := range packages {
		fmt.Fprintf(&b, "\t%q: func(opts ...rt.Option) (rt.Program, error) { return %s.New(opts...) },\n", p, p)
	}
	fmt.Fprintf(&b, "}\n\nfunc main() { %s }\n", body)
	return os.WriteFile(filepath.Join(dir, "main.go"), b.Bytes(), 0o666)
}

// BuildJSON runs "go build" in the folder dir. The parameter target is the path of the package to
// build, and exe that of the executable. If this fails, the first result maps the import path of
// each package that does not compile to its compile errors.
func BuildJSON(ctx context.Context, dir, exe, target string) (bad map[string]string, err error) {
	c := base.GoCommand(ctx, dir, true, "build", "-json", "-trimpath", "-ldflags=-s -w", "-o", exe, target)
	var out, talk bytes.Buffer
	c.Stdout, c.Stderr = &out, &talk
	err = c.Run()
	if err == nil {
		return nil, nil
	}
	bad = map[string]string{}
	var all strings.Builder
	dec := json.NewDecoder(io.MultiReader(&out, &talk))
	for {
		var ev struct{ ImportPath, Action, Output string }
		if dec.Decode(&ev) != nil {
			break
		}
		all.WriteString(ev.Output)
		if p, _, _ := strings.Cut(ev.ImportPath, " "); ev.Action == "build-output" && !strings.HasPrefix(ev.Output, "#") && len(bad[p]) < 500 {
			bad[p] += ev.Output
		}
	}
	return bad, fmt.Errorf("go build: %w\n%s%s", err, all.String(), talk.String())
}

// EmitPackage emits a compiled case and returns the files. They are a package that imports the run
// time from graphc's module or, if main is set, a program that does so.
func EmitPackage(name string, c *cases.Case, p *pipeline.Program, main bool) (map[string][]byte, error) {
	pkg := &codegen.Package{Name: name, Model: filepath.Base(c.ModelPath), ModelSum: p.Model.SHA256, Plans: p.Plans(), Init: p.InitPlan(), Defaults: p.Defaults.Emitted(), Main: main}
	return pipeline.Within(p.Deadline, func() (map[string][]byte, error) { return codegen.Emit(pkg) })
}

// WriteFiles writes files into a new folder.
func WriteFiles(dir string, files map[string][]byte) error {
	for name, data := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(full, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}
