package build

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

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/emitdir"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
)

// Package is a package that graphc generates from one model, with all options.
type Package struct {
	flags.Spec
	Paths []string // of the model
	Dir   string
	Pkg   string // package name; if "", it is derived from Dir
	// listed is set if the package comes from graphc.yaml. Its folder may then contain other files
	// of the package.
	listed  bool
	Main    bool
	Runtime string // auto, import or standalone
	// RuntimeDir is the folder of one copy of the run time that all standalone packages share. If
	// it is "", each package has a separate copy.
	RuntimeDir  string
	Processors  []string // processors whose assembly a standalone package contains; nil for all
	OmitVersion bool
	Example     bool // write an example
	Sidecar     bool
	Cubin       CubinFlags
	importPath  string // import path of a package that is not in a module; if "", it is the package's name
}

// generated is a package that is compiled but not written yet.
type generated struct {
	spec    Package
	options *graphc.EmitOptions
	files   map[string][]byte
	plan    *emitdir.Plan
}

// ownedFolders are folders in a standalone package that contain only copies of the run time.
var ownedFolders = []string{"internal/rt", "internal/kernels"}

// generate compiles the model of package s. It compares the emitted files with those in the
// package's folder, and determines which files must be written and which must be removed.
func generate(ctx context.Context, a *base.App, s Package) (*generated, error) {
	phase := s.Phase(a, s.Paths[0])
	defer phase.Close()
	m, err := s.Read(ctx, s.Paths)
	if err != nil {
		return nil, err
	}
	p, err := m.Compile(ctx, &s.Opts)
	if err != nil {
		return nil, base.WrapModel(s.Paths, err)
	}
	phase.Clear()
	a.Warn(p.Warnings())
	a.Note(p.Notes(), s.words)
	o, err := s.emit()
	if err != nil {
		return nil, err
	}
	if err := s.Cubin.apply(o, p); err != nil {
		return nil, err
	}
	phase.Is(s.Paths[0] + ": code")
	files, err := p.Files(ctx, o)
	if err != nil {
		return nil, base.WrapModel(s.Paths, err)
	}
	g := &generated{spec: s, options: o, files: files}
	name := o.Package
	if s.Main {
		name = "main"
	}
	if err := checkNeighbours(s.Dir, name, s.listed || s.Pkg != ""); err != nil {
		return nil, err
	}
	g.plan, err = emitdir.New(s.Dir, files, ownedFolders...)
	return g, err
}

// words converts a message for the user. If the package is listed in graphc.yaml, keys of
// graphc.yaml replace the flags in the message.
func (s *Package) words(text string) string {
	if s.listed {
		return inKeys(text)
	}
	return text
}

// Write compiles a model and writes its package.
func Write(ctx context.Context, a *base.App, s Package) error {
	g, err := generate(ctx, a, s)
	if err != nil {
		return err
	}
	return apply(ctx, a, g)
}

// emit returns the options for emitting the package. If the folder is not in a module, the emitted
// files include a go.mod.
func (s *Package) emit() (*graphc.EmitOptions, error) {
	name := s.Pkg
	if name == "" {
		abs, err := filepath.Abs(s.Dir)
		if err != nil {
			return nil, err
		}
		name = packageNameOf(filepath.Base(abs))
	}
	if !token.IsIdentifier(name) || name == "_" {
		return nil, base.Usagef("%q is not a valid name of a Go package", name)
	}
	if s.Example && s.Main {
		return nil, base.Usagef("examples are for packages, not for programs: omit --main or --example")
	}
	o := &graphc.EmitOptions{Package: name, Main: s.Main, Sidecar: s.Sidecar, Example: s.Example}
	if !s.OmitVersion {
		o.Version = base.HeaderVersion()
	}
	root, text, err := base.EnclosingModule(s.Dir)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(s.Dir)
	if err != nil {
		return nil, err
	}
	if root == abs && emitdir.Ours(text) {
		root = "" // ignore this go.mod: graphc generated it for this package
	}
	o.Standalone = s.Runtime == "standalone" || s.Runtime != "import" && (root == "" || !base.CanImportRuntime(text))
	for _, p := range s.Processors {
		if all := graphc.Processors(); !slices.Contains(all, p) {
			return nil, base.Usagef("arch: no kernels in assembly for processor %q: want %s", p, strings.Join(all, ", "))
		}
	}
	if o.Processors = s.Processors; o.Processors != nil && !o.Standalone {
		return nil, base.Usagef("arch selects the assembly to copy, but %s copies nothing, since it imports %s; use --runtime standalone", s.Dir, base.ModulePath)
	}
	if root != "" {
		if o.ImportPath, err = base.ImportPath(s.Dir); err == nil && o.Standalone && s.RuntimeDir != "" {
			o.RunTime, err = s.shared(root)
		}
		return o, err
	}
	if s.RuntimeDir != "" {
		return nil, base.Usagef("no go.mod encloses %s, so it cannot import %s", s.Dir, s.RuntimeDir)
	}
	o.ImportPath = base.Or(s.importPath, name)
	if !o.Standalone {
		return nil, base.Usagef("no go.mod encloses %s, so the run time cannot be imported: use --runtime standalone, or go mod init", s.Dir)
	}
	o.GoMod = true
	return o, nil
}

// shared returns the import path of the folder RuntimeDir, which has the run time that standalone
// packages share. It returns an error if the folder is not in the module of the package. The
// parameter root is the folder of this module.
func (s *Package) shared(root string) (string, error) {
	other, _, err := base.EnclosingModule(s.RuntimeDir)
	if err != nil {
		return "", err
	}
	if other != root {
		return "", base.Usagef("runtime_dir %s is not in the module of %s", s.RuntimeDir, s.Dir)
	}
	return base.ImportPath(s.RuntimeDir)
}

// apply writes a generated package.
func apply(ctx context.Context, a *base.App, g *generated) error {
	if err := g.plan.Apply(ctx); err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "%s: %d written, %d removed, %d unchanged\n", g.spec.Dir, len(g.plan.Write), len(g.plan.Remove), len(g.plan.Same))
	return nil
}

// Exe compiles a model and builds the executable exe. If s.Dir is "", the package is in a temporary
// module. Otherwise, Exe writes the package to s.Dir.
func Exe(ctx context.Context, a *base.App, s Package, exe string) error {
	s.Main = true
	own := s.Dir == ""
	if own {
		tmp, err := os.MkdirTemp("", "graphc-exe-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		// All executables use the same import path, so that the go command compiles the run time once
		// and then finds it in the build cache.
		s.Dir, s.Runtime, s.importPath = tmp, "standalone", "graphc.exe"
		// A standalone package cannot contain all dependencies of a program for GPUs. Such a program
		// is built in a temporary copy of graphc's module, from which it imports the run time.
		if kind := base.GPUKind(ctx); kind != "" {
			if err := base.NewCheckModule(tmp, kind); err != nil {
				return err
			}
			s.Dir, s.Runtime, s.importPath = filepath.Join(tmp, "check", "exe"), "import", base.CheckPath+"/exe"
		}
		if s.Pkg == "" {
			base := filepath.Base(exe)
			s.Pkg = packageNameOf(strings.TrimSuffix(base, filepath.Ext(base)))
		}
	}
	g, err := generate(ctx, a, s)
	if err != nil {
		return err
	}
	if err := g.plan.Apply(ctx); err != nil {
		return err
	}
	return goBuild(ctx, a, s.Dir, exe, own, sidecars(g))
}

// sidecars returns the files of weights that are not embedded in the executable, keyed by name. At
// run time, the executable reads these files from its own folder.
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

// goBuild builds the program in dir and stores the executable as exe. The last argument maps names
// to the contents of further files, which are stored in the same folder. All files are first
// written to a temporary folder and then renamed, so that each file is either complete or
// unchanged. The parameter own must be true if dir is in a temporary module that graphc made, and
// false if it is in a module of the user.
func goBuild(ctx context.Context, a *base.App, dir, exe string, own bool, beside map[string][]byte) (err error) {
	exe, err = filepath.Abs(exe)
	if err != nil {
		return err
	}
	if st, err := os.Stat(exe); err == nil && !st.Mode().IsRegular() {
		return base.Usagef("%s is not a file", exe)
	}
	tmp, remove, err := emitdir.Scratch(filepath.Dir(exe))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	phase := a.NewPhase("go build")
	defer phase.Close()
	new := filepath.Join(tmp, filepath.Base(exe))
	if err := base.GoRun(ctx, dir, own, "build", "-trimpath", "-ldflags=-s -w", "-o", new, "."); err != nil {
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
