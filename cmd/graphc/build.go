package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/emitdir"
)

// buildSpec is one package to generate.
type buildSpec struct {
	spec
	paths       []string // of the model
	dir         string
	pkg         string // "" is derived from dir
	listed      bool   // in graphc.yaml, whose author knows what else is in the folder
	main        bool
	runtime     string // auto, import or standalone
	omitVersion bool
	sidecar     bool
	cubin       cubinFlags
	importPath  string // of a package outside any module; "" is its name
}

func newBuild(a *app) *cobra.Command {
	var f modelFlags
	var s buildSpec
	var exe, tuneFeeds string
	var tuneTime time.Duration
	c := &cobra.Command{
		Use:   "build [flags] MODEL… -o DIR",
		Short: "Compile a model to a Go package, a program or an executable",
		Long: `build compiles a model (see "graphc help models") and writes a Go package into
the folder -o, or with --main a program. --exe builds a static executable with
the go command; then -o may be left out.

--tune FEEDS.npz first measures on this machine, fed with these arrays and with
one thread, which convolutions Winograd's method computes faster than direct
sums, builds with what it found, and keeps that in graphc.yaml where it lists the
model.

--cubin has ptxas make machine code of the kernels that a program for NVIDIA's GPUs
may launch, which its driver would otherwise make of their PTX at the first start.
PTX is embedded all the same, for other processors.

Files in the folder are replaced or removed only if graphc wrote them; all
files are written, or none.`,
		Args: minArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			s.paths = args
			if s.spec, err = f.spec(); err != nil {
				return err
			}
			if tuneFeeds != "" && len(s.opts.Devices) > 1 {
				return usagef("--tune measures on one device, --devices names several")
			}
			if tuneFeeds != "" {
				if err := a.tuneModel(c.Context(), &s.spec, args, tuneFeeds, tuneTime); err != nil {
					return err
				}
			}
			if exe != "" {
				return a.buildExe(f.devices.forGPUs(c.Context(), "cuda"), s, exe)
			}
			if s.dir == "" {
				return usagef("say where to write with -o DIR, or build an executable with --exe FILE")
			}
			return a.writePackage(c.Context(), s)
		},
	}
	fl := c.Flags()
	f.register(fl)
	fl.StringVarP(&s.dir, "output", "o", "", "folder of the package")
	fl.StringVar(&s.pkg, "pkg", "", "name of the package (the folder's when not given)")
	fl.BoolVar(&s.main, "main", false, "write a program instead of a package")
	fl.StringVar(&exe, "exe", "", "build a static executable of this name")
	fl.StringVar(&s.runtime, "runtime", "auto", "auto, import or standalone; see \"graphc help runtime\"")
	fl.Bool("standalone", false, "the same as --runtime standalone")
	fl.BoolVar(&s.omitVersion, "omit-version", false, "leave graphc's version out of the files")
	fl.StringVar(&tuneFeeds, "tune", "", "measure the convolutions' methods on the feeds in this .npz file")
	fl.DurationVar(&tuneTime, "tune-time", 10*time.Second, "how long --tune measures")
	fl.BoolVar(&s.sidecar, "sidecar", false, "keep the weights in a file beside the program instead of embedding them")
	s.cubin.register(fl)
	completeWith(c, "runtime", "auto", "import", "standalone")
	c.PreRunE = func(*cobra.Command, []string) error {
		if alone, err := fl.GetBool("standalone"); err == nil && alone {
			s.runtime = "standalone"
		}
		switch s.runtime {
		case "auto", "import", "standalone":
			return nil
		}
		return usagef("--runtime is %q, not auto, import or standalone", s.runtime)
	}
	return c
}

// warn prints warnings.
func (a *app) warn(list []*graphc.Diagnostic) {
	for _, w := range list {
		fmt.Fprintln(a.err, "warning: "+w.Text)
	}
}

// generated is a package that is compiled but not written yet.
type generated struct {
	spec  buildSpec
	files map[string][]byte
	plan  *emitdir.Plan
}

// ownedFolders hold nothing but copies of the run time in a standalone package.
var ownedFolders = []string{"internal/rt", "internal/kernels"}

// generate compiles a model and compares with what its folder holds.
func (a *app) generate(ctx context.Context, s buildSpec) (*generated, error) {
	bar := a.newBar(-1, s.paths[0])
	defer bar.close()
	s.opts.Progress = func(pass, _ string) {
		bar.describe(s.paths[0] + ": " + pass)
		bar.add(1)
	}
	m, err := s.read(ctx, s.paths)
	if err != nil {
		return nil, err
	}
	p, err := m.Compile(ctx, &s.opts)
	if err != nil {
		return nil, wrapModel(s.paths, err)
	}
	a.warn(p.Warnings())
	o, err := s.emit()
	if err != nil {
		return nil, err
	}
	if err := s.cubin.apply(o, p); err != nil {
		return nil, err
	}
	bar.describe(s.paths[0] + ": code")
	files, err := p.Files(ctx, o)
	if err != nil {
		return nil, wrapModel(s.paths, err)
	}
	g := &generated{spec: s, files: files}
	name := o.Package
	if s.main {
		name = "main"
	}
	if err := checkNeighbours(s.dir, name, s.listed || s.pkg != ""); err != nil {
		return nil, err
	}
	g.plan, err = emitdir.New(s.dir, files, ownedFolders...)
	return g, err
}

// writePackage compiles a model and writes its package.
func (a *app) writePackage(ctx context.Context, s buildSpec) error {
	g, err := a.generate(ctx, s)
	if err != nil {
		return err
	}
	return a.apply(ctx, g)
}

// emit says what to emit, with a go.mod where no module encloses the folder.
func (s *buildSpec) emit() (*graphc.EmitOptions, error) {
	name := s.pkg
	if name == "" {
		abs, err := filepath.Abs(s.dir)
		if err != nil {
			return nil, err
		}
		name = packageNameOf(filepath.Base(abs))
	}
	if !token.IsIdentifier(name) || name == "_" {
		return nil, usagef("%q is no name of a Go package", name)
	}
	o := &graphc.EmitOptions{Package: name, Main: s.main, Sidecar: s.sidecar}
	if v := toolVersion(); !s.omitVersion && v != "(devel)" {
		o.Version = v
	}
	root, text, err := enclosingModule(s.dir)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(s.dir)
	if err != nil {
		return nil, err
	}
	if root == abs && emitdir.Ours(text) {
		root = "" // it goes with the package
	}
	o.Standalone = s.runtime == "standalone" || s.runtime != "import" && (root == "" || !canImportRuntime(text))
	if root != "" {
		o.ImportPath, err = importPath(s.dir)
		return o, err
	}
	o.ImportPath = or(s.importPath, name)
	if !o.Standalone {
		return nil, usagef("no go.mod encloses %s, so the run time cannot be imported: use --runtime standalone, or go mod init", s.dir)
	}
	o.GoMod = true
	return o, nil
}

// goDirective is the language version of emitted code.
const goDirective = "1.26"

// packageNameOf makes a package name of a folder's: small letters and digits.
func packageNameOf(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, s)
	const most = 60 // the names of files begin with it
	s = s[:min(len(s), most)]
	if s == "" || s[0] <= '9' || token.IsKeyword(s) || s == "main" {
		return "model" + s
	}
	return s
}

// apply writes a generated package.
func (a *app) apply(ctx context.Context, g *generated) error {
	if err := g.plan.Apply(ctx); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "%s: %d written, %d removed, %d unchanged\n", g.spec.dir, len(g.plan.Write), len(g.plan.Remove), len(g.plan.Same))
	return nil
}

// buildExe builds an executable, in a module of its own unless -o names a folder.
func (a *app) buildExe(ctx context.Context, s buildSpec, exe string) error {
	s.main = true
	own := s.dir == ""
	if own {
		tmp, err := os.MkdirTemp("", "graphc-exe-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		// One import path for all, so that the run time is compiled once and then cached.
		s.dir, s.runtime, s.importPath = tmp, "standalone", "graphc.exe"
		// What a program for GPUs imports is not all ours to copy: it is built beside the run time.
		if kind := gpuKind(ctx); kind != "" {
			if err := newCheckModule(tmp, kind); err != nil {
				return err
			}
			s.dir, s.runtime, s.importPath = filepath.Join(tmp, "check", "exe"), "import", checkPath+"/exe"
		}
		if s.pkg == "" {
			base := filepath.Base(exe)
			s.pkg = packageNameOf(strings.TrimSuffix(base, filepath.Ext(base)))
		}
	}
	g, err := a.generate(ctx, s)
	if err != nil {
		return err
	}
	if err := g.plan.Apply(ctx); err != nil {
		return err
	}
	return a.goBuild(ctx, s.dir, exe, own, sidecars(g))
}

// sidecars are the weights that are not embedded: they lie beside the executable, where it
// looks for them.
func sidecars(g *generated) map[string][]byte {
	beside := map[string][]byte{}
	for name, data := range g.files {
		if filepath.Ext(name) != ".bin" {
			continue
		}
		embedded := false
		for src, text := range g.files {
			embedded = embedded || filepath.Ext(src) == ".go" && bytes.Contains(text, []byte("//go:embed "+name+"\n"))
		}
		if !embedded {
			beside[name] = data
		}
	}
	return beside
}

// goBuild builds the program in dir, a module of ours or the user's. exe and what goes beside
// it take their places when all of them are on the disk: each is whole, or as it was.
func (a *app) goBuild(ctx context.Context, dir, exe string, own bool, beside map[string][]byte) (err error) {
	exe, err = filepath.Abs(exe)
	if err != nil {
		return err
	}
	if st, err := os.Stat(exe); err == nil && !st.Mode().IsRegular() {
		return usagef("%s is no file", exe)
	}
	tmp, remove, err := emitdir.Scratch(filepath.Dir(exe))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	bar := a.newBar(-1, "go build")
	defer bar.close()
	new := filepath.Join(tmp, filepath.Base(exe))
	if err := goRun(ctx, dir, own, "build", "-trimpath", "-ldflags=-s -w", "-o", new, "."); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(beside))
	for _, name := range names {
		if err := emitdir.WriteFile(filepath.Join(tmp, name), beside[name], 0o644); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := os.Rename(filepath.Join(tmp, name), filepath.Join(filepath.Dir(exe), name)); err != nil {
			return err
		}
	}
	return os.Rename(new, exe)
}
