package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/graphc/graphc/codegen"
	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
)

// verifyEmitted compiles the cases to packages of one temporary module, builds
// a program for every f.chunk cases, and runs the cases in it.
func (a *app) verifyEmitted(ctx context.Context, f verifyFlags, cs []*cases.Case, r *reporter) error {
	dir, err := tempModule(f.keep, gpuKind(ctx))
	if err != nil {
		return err
	}
	if f.keep == "" {
		defer os.RemoveAll(dir)
	}
	e := &emitted{verifyFlags: f, dir: dir, cases: cs, r: r, replies: make([]*caserun.Reply, len(cs))}
	if f.sums != "" {
		return e.manifest(ctx)
	}
	for start := 0; start < len(cs) && ctx.Err() == nil; start += f.chunk {
		if err := e.run(ctx, start, min(start+f.chunk, len(cs))); err != nil {
			return err
		}
	}
	return nil
}

// tempModule makes a module for programs of emitted packages, with GPUs of a kind: below keep,
// or a folder that the caller removes.
func tempModule(keep, kind string) (string, error) {
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
	if err := newCheckModule(dir, kind); err != nil {
		if keep == "" {
			err = errors.Join(err, os.RemoveAll(dir))
		}
		return "", err
	}
	return dir, nil
}

// emitted is a run of verify over emitted packages.
type emitted struct {
	verifyFlags
	dir     string
	cases   []*cases.Case
	r       *reporter
	replies []*caserun.Reply // of each case that is compiled
}

// run deals with the cases from start to end.
func (e *emitted) run(ctx context.Context, start, end int) error {
	if err := e.compile(ctx, start, end); err != nil {
		return err
	}
	exe, err := e.build(ctx, start, end)
	if err != nil || exe == "" {
		return err
	}
	p := &pool{command: []string{exe}, jobs: e.jobs, timeout: e.timeout}
	var requests []caserun.Request
	for i := start; i < end; i++ {
		if c := e.replies[i]; c != nil {
			requests = append(requests, caserun.Request{Index: i, Dir: e.cases[i].Dir, Package: c.Package, Signatures: c.Signatures})
		}
	}
	p.run(ctx, requests, e.r.reply)
	if e.keep == "" {
		return os.Remove(exe)
	}
	return nil
}

// compile has the packages written by workers, since a compiler that is given
// hostile graphs may die, too.
func (e *emitted) compile(ctx context.Context, start, end int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p := &pool{command: []string{self, workerName}, jobs: e.jobs, timeout: e.timeout}
	p.command = append(p.command, e.worker()...)
	var requests []caserun.Request
	for i := start; i < end; i++ {
		requests = append(requests, caserun.Request{Index: i, Dir: e.cases[i].Dir, Out: filepath.Join(e.dir, "check", packageName(i))})
	}
	p.run(ctx, requests, func(reply caserun.Reply, d time.Duration) {
		if reply.Package != "" {
			e.replies[reply.Index] = &reply
			return
		}
		e.r.reply(reply, d)
	})
	return nil
}

func packageName(i int) string { return fmt.Sprintf("c%05d", i) }

// build makes one program of the packages. Cases whose packages do not compile
// fail, and the others are built without them. No program is "".
func (e *emitted) build(ctx context.Context, start, end int) (string, error) {
	name := fmt.Sprintf("run%05d", start)
	exe := filepath.Join(e.dir, name+".exe")
	for ctx.Err() == nil {
		var pkgs []string
		for i := start; i < end; i++ {
			if c := e.replies[i]; c != nil {
				pkgs = append(pkgs, c.Package)
			}
		}
		if len(pkgs) == 0 {
			return "", nil
		}
		if err := writeMain(filepath.Join(e.dir, "check", name), pkgs, "os.Exit(table.Main())"); err != nil {
			return "", err
		}
		bad, err := buildJSON(ctx, e.dir, exe, "./check/"+name)
		if err == nil {
			return exe, nil
		}
		dropped := false
		for i := start; i < end; i++ {
			if e.replies[i] == nil {
				continue
			}
			if text, ok := bad[checkPath+"/"+e.replies[i].Package]; ok {
				e.replies[i] = nil
				e.r.set(i, outcome{status: "FAIL", reason: "the emitted package does not compile: " + text})
				dropped = true
			}
		}
		if !dropped {
			return "", err
		}
	}
	return "", ctx.Err()
}

// writeMain writes a main package with a table of the constructors of packages.
func writeMain(dir string, packages []string, body string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package main\n\nimport (\n\t\"os\"\n\n\t%q\n\t%q\n", modulePath+"/internal/caserun", modulePath+"/rt")
	for _, p := range packages {
		fmt.Fprintf(&b, "\t%q\n", checkPath+"/"+p)
	}
	b.WriteString(")\n\nvar table = caserun.Table{\n")
	for _, p := range packages {
		fmt.Fprintf(&b, "\t%q: func(opts ...rt.Option) (rt.Program, error) { return %s.New(opts...) },\n", p, p)
	}
	fmt.Fprintf(&b, "}\n\nfunc main() { %s }\n", body)
	return os.WriteFile(filepath.Join(dir, "main.go"), b.Bytes(), 0o666)
}

// buildJSON builds a program. When that fails, bad holds what the compiler says
// of each package.
func buildJSON(ctx context.Context, dir, exe, target string) (bad map[string]string, err error) {
	c := goCommand(ctx, dir, true, "build", "-json", "-trimpath", "-ldflags=-s -w", "-o", exe, target)
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

// emitCase compiles one case to packages next to q.Out.
func emitCase(q caserun.Request, f *verifyFlags) (reply caserun.Reply) {
	defer func() {
		if p := recover(); p != nil {
			reply = caserun.Verdict(q.Index, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	c, err := cases.Load(q.Dir)
	if err != nil {
		return caserun.Verdict(q.Index, err)
	}
	p, names, err := f.compiler(c).compile(len(c.Runs))
	if err != nil {
		return caserun.Verdict(q.Index, caserun.Judge(c, err, "compile"))
	}
	name := filepath.Base(q.Out)
	files, err := emitPackage(name, c, p, false)
	if err == nil {
		err = writeFiles(q.Out, files)
	}
	if err != nil {
		return caserun.Verdict(q.Index, caserun.Judge(c, err, "compile"))
	}
	return caserun.Reply{Index: q.Index, Package: name, Signatures: names}
}

// emitPackage emits a compiled case as a package that imports the run time, or with
// main as a program.
func emitPackage(name string, c *cases.Case, p *pipeline.Program, main bool) (map[string][]byte, error) {
	pkg := &codegen.Package{Name: name, Model: filepath.Base(c.ModelPath), ModelSum: p.Model.SHA256, Plans: p.Plans(), Init: p.InitPlan(), Defaults: p.Defaults.Emitted(), Main: main}
	return pipeline.Within(p.Deadline, func() (map[string][]byte, error) { return codegen.Emit(pkg) })
}

// writeFiles writes files into a new folder.
func writeFiles(dir string, files map[string][]byte) error {
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
