// Package codegen prints plans as Go source: one package a model, with a typed
// function for each signature, a file of weights, and calls of the run time and
// of kernels. It knows kernels by their names only.
//
// Output depends on input alone: no time, no path of the machine, no order of a map.
package codegen

import (
	"bytes"
	"fmt"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device/devvar"
	"github.com/graphc/graphc/rt/save"
)

// Module is the import path that the run time and the kernels have in this repository.
const Module = "github.com/graphc/graphc"

// codeVersion is the version of emitted code; see rt.EnforceVersion.
const codeVersion = 7

// Package is what is emitted: a model with its signatures.
type Package struct {
	Name       string // the Go package, and the beginning of file names
	ImportPath string // where the package will be; needed for copies only
	Model      string // the model file's base name
	ModelSum   string // its SHA-256 in hex
	Plans      []*plan.Plan
	Init       *plan.Plan // what New runs once, without feeds and fetches; nil for nothing
	Main       bool       // a program: package main with a command line
	Example    bool       // write a test file with an example, for which ImportPath has to be where the package is
	Standalone bool       // import copies of the run time and the kernels
	Runtime    string     // the import path of what is imported instead of Module; "" is that of the copies, which come below internal/
	Processors []string   // whose assembly is copied, as GOARCH; nil for all
	Version    string     // graphc's version, vX.Y.Z; empty leaves it out
	// Carried are tensors that checkpoints of the model's variables have beside them.
	Carried []save.Carried
	// Defaults are what an instance does unless its caller says otherwise.
	Defaults Defaults
	// Assemble makes machine code of PTX for each processor that the program is to start fast on; nil for none.
	// What it returns has a place for each text.
	Assemble func(texts []PTX) ([][]Machine, error)
	Sidecar  bool // keep the weights beside the program even when they could be embedded
	// Sources holds the sources of this module's run time and kernels by their paths in the module, such as
	// rt/rt.go. It is needed for Standalone and for Assemble; without it, constants are printed as numbers.
	Sources fs.FS
}

// maxEmbedded is the size of the largest weights file the Go linker takes with
// room for the rest of the program.
const maxEmbedded = 1_900_000_000

// Emit returns the package's files by their path relative to its folder. The
// plans are laid out, which may let buffers share storage.
func Emit(p *Package) (map[string][]byte, error) {
	if !token.IsIdentifier(p.Name) || p.Name == "_" {
		return nil, fmt.Errorf("%q is no name of a Go package", p.Name)
	}
	if len(p.Plans) == 0 {
		return nil, fmt.Errorf("a package without signatures")
	}
	e := &emitter{Package: p, runtime: Module, files: map[string][]byte{}}
	if p.Runtime != "" {
		e.runtime = p.Runtime
	}
	if p.Standalone && p.Runtime == "" {
		if p.ImportPath == "" {
			return nil, fmt.Errorf("a standalone package needs its import path")
		}
		if p.Sources == nil {
			return nil, fmt.Errorf("a standalone package needs the sources of the run time")
		}
		e.runtime = path.Join(p.ImportPath, "internal")
	}
	if err := e.signatures(); err != nil {
		return nil, err
	}
	if err := e.initialization(); err != nil {
		return nil, err
	}
	if err := e.group(); err != nil {
		return nil, err
	}
	if err := e.name(); err != nil {
		return nil, err
	}
	if err := e.weights(); err != nil {
		return nil, err
	}
	if err := e.layKept(); err != nil {
		return nil, err
	}
	if err := e.objects(); err != nil {
		return nil, err
	}
	all := e.all()
	for _, s := range all { // what leaves the arena changes where all is that stays
		if err := e.divide(s); err != nil {
			return nil, fmt.Errorf("signature %q: %w", s.plan.Name, err)
		}
	}
	for _, s := range e.sigs {
		nameSizes(s)
	}
	for _, s := range e.calls {
		s.sharedSizes()
	}
	if e.init != nil {
		nameSizes(e.init)
	}
	if err := e.api(); err != nil {
		return nil, err
	}
	for _, s := range all {
		if err := s.steps.print(); err != nil {
			return nil, fmt.Errorf("signature %q: %w", s.plan.Name, err)
		}
	}
	if err := e.writeKernels(); err != nil {
		return nil, err
	}
	if err := e.writeCubins(); err != nil {
		return nil, err
	}
	if p.Main {
		if err := e.main(); err != nil {
			return nil, err
		}
	}
	if p.Standalone && p.Runtime == "" {
		if err := e.copySources(); err != nil {
			return nil, err
		}
	}
	return e.files, nil
}

// signature checks a plan and lays it out.
func (e *emitter) signature(p *plan.Plan) (*signature, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if p.Parts != nil {
		return e.inParts(p)
	}
	l, err := p.Layout(0)
	if err != nil {
		return nil, err
	}
	return &signature{plan: p, layout: l}, nil
}

type emitter struct {
	*Package
	runtime string
	entries []*entry
	calls   []*signature // all variants of all entries
	sigs    []*signature // those of them that have code of their own
	init    *signature   // nil for none
	files   map[string][]byte
	data    weightsFile
	kept    keptState
	vars    resources
	saves   []*plan.Buf
	carry   []*plan.Const
	kernels kernelFile
	library map[[2]string]bool // functions that launch library kernels
	// assembled says that New names the machine code.
	assembled bool
	packages  map[string]bool // of this module, called by the emitted code
	enums     constants       // of the packages that literals are of
}

// entry is a signature as its callers see it: one method.
type entry struct {
	sig      *rt.Signature
	method   string // Predict
	prefix   string // predict, before the names of what is not exported
	feeds    []string
	fetches  []string
	variants []*signature // one for each choice of ranks of the feeds
}

// signature is a plan with the names of what is printed for it.
type signature struct {
	*entry
	plan   *plan.Plan
	layout *plan.Layout
	of     *signature      // whose code is called, nil for its own
	shared bool            // others call its code
	prefix string          // the entry's where that has one variant
	file   string          // the step files' names without .gen.go
	dims   map[string]bool // symbols of plan.Dims
	bound  []string        // symbols that steps bind, in order
	root   map[*plan.Buf]int
	grown  map[*plan.Buf]int
	// devRoot are the buffers of the device's arena, segments how many have been printed.
	devRoot  map[*plan.Buf]int
	segments int
	recorded []jen.Code // calls that record the segments which depend on the feeds' sizes alone
	// copies is how many copies between host and device have been printed in segments.
	copies int
	// devVars are the slots of variables with values in the device's memory, holds
	// those that segments use.
	devVars map[*plan.Buf]int
	holds   [][]devvar.Use
	consts  map[*plan.Const]bool
	// parts are the partitions of one that stands on several devices; each knows the
	// whole, which is what callers see, and its number.
	parts  []*signature
	whole  *signature
	number int
	steps  *stepsFile        // what is printed for its steps
	sizes  map[string]string // the names of sizes by their symbols, shared by all parts
	// reserved are the names that no local in its functions may have.
	reserved scope
}

// group makes an entry of the plans of one name.
func (e *emitter) group() error {
	by := map[string]*entry{}
	for _, s := range e.calls {
		n := by[s.plan.Name]
		if n == nil {
			n = &entry{}
			by[s.plan.Name] = n
			e.entries = append(e.entries, n)
		}
		s.entry, n.variants = n, append(n.variants, s)
		for _, q := range s.parts {
			q.entry = n
		}
	}
	for _, n := range e.entries {
		plans := make([]*plan.Plan, len(n.variants))
		for i, s := range n.variants {
			plans[i] = s.plan
			if err := sameCaller(plans[0], s.plan); err != nil {
				return fmt.Errorf("signature %q: %w", s.plan.Name, err)
			}
			for _, p := range plans[:i] {
				if p.Ranks == nil || slices.Equal(p.Ranks, s.plan.Ranks) {
					return fmt.Errorf("signature %q: two plans for the ranks %v", p.Name, s.plan.Ranks)
				}
			}
		}
		n.sig = Signature(plans)
	}
	return nil
}

// sameCaller refuses variants that one method cannot serve.
func sameCaller(p, q *plan.Plan) error {
	same := len(p.Feeds) == len(q.Feeds) && len(p.Fetches) == len(q.Fetches)
	for i := 0; same && i < len(p.Feeds); i++ {
		a, b := p.Feeds[i], q.Feeds[i]
		same = a.Name == b.Name && a.Key == b.Key && a.DType == b.DType && a.AnyShape == b.AnyShape
	}
	for i := 0; same && i < len(p.Fetches); i++ {
		a, b := p.Fetches[i], q.Fetches[i]
		same = a.Name == b.Name && a.Key == b.Key && a.DType == b.DType
	}
	if !same {
		return fmt.Errorf("plans for several ranks have other feeds or fetches")
	}
	return nil
}

// path returns the import path that a package of this module has for the emitted code.
func (e *emitter) path(p string) string {
	rest, ok := strings.CutPrefix(p, Module+"/")
	if !ok {
		return p
	}
	if e.packages == nil {
		e.packages = map[string]bool{}
	}
	e.packages[rest] = true
	return e.runtime + "/" + rest
}

func (e *emitter) rt(name string) *jen.Statement { return jen.Qual(e.path(Module+"/rt"), name) }

func (e *emitter) tensor(name string) *jen.Statement {
	return jen.Qual(e.path(Module+"/rt/tensor"), name)
}

// newFile begins a Go file.
func (e *emitter) newFile() *jen.File {
	f := jen.NewFile(e.clause())
	version := ""
	if e.Version != "" {
		version = " " + plain(e.Version)
	}
	f.HeaderComment("// Code generated by graphc" + version + ". DO NOT EDIT.")
	if e.Model != "" {
		text := "// Model: " + quote(path.Base(e.Model))
		if e.ModelSum != "" {
			text += " sha256:" + plain(e.ModelSum)
		}
		f.HeaderComment(text)
	}
	return f
}

// render prints a file.
func (e *emitter) render(b *bytes.Buffer, f *jen.File) error {
	for pkg := range e.packages { // a package's name is its path's last element
		f.ImportName(e.runtime+"/"+pkg, path.Base(pkg))
	}
	f.ImportName(e.importPath(), e.Name)
	return f.Render(b)
}

// add renders f as a file of the package.
func (e *emitter) add(name string, f *jen.File) error {
	var b bytes.Buffer
	if err := e.render(&b, f); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	src, err := tidy(b.Bytes())
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	e.files[name] = src
	return nil
}
