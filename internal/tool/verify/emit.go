package verify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/casebuild"
)

// verifyEmitted emits a package for each case, all in one temporary module. For every f.Chunk
// cases, it builds one program that contains their packages and runs these cases.
func verifyEmitted(ctx context.Context, a *base.App, f Flags, cs []*cases.Case, r *reporter) error {
	dir, err := casebuild.TempModule(f.Keep, base.GPUKind(ctx))
	if err != nil {
		return err
	}
	if f.Keep == "" {
		defer os.RemoveAll(dir)
	}
	e := &emitted{Flags: f, dir: dir, cases: cs, r: r, replies: make([]*caserun.Reply, len(cs))}
	if f.Sums != "" {
		return e.manifest(ctx)
	}
	for start := 0; start < len(cs) && ctx.Err() == nil; start += f.Chunk {
		if err := e.run(ctx, start, min(start+f.Chunk, len(cs))); err != nil {
			return err
		}
	}
	return nil
}

// emitted is the state of one call of verifyEmitted.
type emitted struct {
	Flags
	dir     string
	cases   []*cases.Case
	r       *reporter
	replies []*caserun.Reply // reply for each compiled case
}

// run compiles, builds and runs the cases with the indices start to end-1.
func (e *emitted) run(ctx context.Context, start, end int) error {
	if err := e.compile(ctx, start, end); err != nil {
		return err
	}
	exe, err := e.build(ctx, start, end)
	if err != nil || exe == "" {
		return err
	}
	p := &pool{command: []string{exe}, jobs: e.Jobs, timeout: e.Timeout}
	var requests []caserun.Request
	for i := start; i < end; i++ {
		if c := e.replies[i]; c != nil {
			requests = append(requests, caserun.Request{Index: i, Dir: e.cases[i].Dir, Package: c.Package, Signatures: c.Signatures})
		}
	}
	p.run(ctx, requests, e.r.reply)
	if e.Keep == "" {
		return os.Remove(exe)
	}
	return nil
}

// compile makes worker processes compile the cases and write their packages. Separate processes are
// necessary because a hostile graph may crash the compiler.
func (e *emitted) compile(ctx context.Context, start, end int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p := &pool{command: []string{self, WorkerName}, jobs: e.Jobs, timeout: e.Timeout}
	p.command = append(p.command, e.Args()...)
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

// build builds one program that contains the packages of all compiled cases. If a package does not
// compile, its case fails, and the program is built without this package. build returns the path of
// the program, or "" if no package remains.
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
		if err := casebuild.WriteMain(filepath.Join(e.dir, "check", name), pkgs, "os.Exit(table.Main())"); err != nil {
			return "", err
		}
		bad, err := casebuild.BuildJSON(ctx, e.dir, exe, "./check/"+name)
		if err == nil {
			return exe, nil
		}
		dropped := false
		for i := start; i < end; i++ {
			if e.replies[i] == nil {
				continue
			}
			if text, ok := bad[base.CheckPath+"/"+e.replies[i].Package]; ok {
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

// emitCase compiles one case and writes the emitted package to the folder q.Out.
func emitCase(q caserun.Request, f *Flags) (reply caserun.Reply) {
	defer func() {
		if p := recover(); p != nil {
			reply = caserun.Verdict(q.Index, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	c, err := cases.Load(q.Dir)
	if err != nil {
		return caserun.Verdict(q.Index, err)
	}
	p, names, err := f.Compiler(c).Compile(len(c.Runs))
	if err != nil {
		return caserun.Verdict(q.Index, caserun.Judge(c, err, "compile"))
	}
	name := filepath.Base(q.Out)
	files, err := casebuild.EmitPackage(name, c, p, false)
	if err == nil {
		err = casebuild.WriteFiles(q.Out, files)
	}
	if err != nil {
		return caserun.Verdict(q.Index, caserun.Judge(c, err, "compile"))
	}
	return caserun.Reply{Index: q.Index, Package: name, Signatures: names}
}
