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

// TempModule creates a module in which programs with emitted packages are built for GPUs of the given
// kind. The module is in the folder keep. If keep is "", the module is in a temporary folder, which the
// caller removes.
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

// WriteMain writes a main package with a table of the packages' constructors. The text body is the body of
// function main.
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

// BuildJSON builds a program. If this fails, bad maps the import path of a package to the errors of the Go
// compiler.
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

// EmitPackage emits a compiled case as a package that imports the run time, or as a program if main
// is set.
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
