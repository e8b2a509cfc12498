// Package codegen emits plans as Go source: one package per model, with a typed function for each
// signature, a file of weights, and calls of the run time and of kernels. It knows kernels by name
// only.
//
// The output depends on the input alone: not on the time, the paths of the machine, or the order of
// a map.
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

// Module is the import path of this repository's module, which contains the run time and the
// kernels.
const Module = "github.com/graphc/graphc"

// codeVersion is the version of emitted code; see rt.EnforceVersion.
const codeVersion = 10

// Package describes the package to emit: a model with its signatures.
type Package struct {
	Name       string // the Go package, and the prefix of file names
	ImportPath string // the import path of the emitted package; needed only for Standalone and Example
	Model      string // the model file's base name
	ModelSum   string // the model file's SHA-256 in hex
	Plans      []*plan.Plan
	Init       *plan.Plan // steps that New runs once, without feeds and fetches; nil for none
	Main       bool       // whether to emit a program, that is, package main with a command line
	Example    bool       // whether to emit a test file with an example; ImportPath must then be set
	Standalone bool       // whether the package imports copies of the run time and the kernels
	Runtime    string     // the import path used instead of Module; "" means the copies below internal/
	Processors []string   // processors whose assembly is copied, as GOARCH; nil for all
	Version    string     // graphc's version, vX.Y.Z, for the file headers; "" omits it
	// Carried are tensors that Save writes to checkpoints besides the model's variables.
	Carried []save.Carried
	// Defaults are the options of an instance unless its caller sets others.
	Defaults Defaults
	// Assemble compiles PTX to machine code for the processors on which the program must start
	// fast; nil for none. The result has one element for each text.
	Assemble func(texts []PTX) ([][]Machine, error)
	Sidecar  bool // whether the weights are in a separate file even if they could be embedded
	// Sources holds the sources of this module's run time and kernels by their paths in the module,
	// such as rt/rt.go. Standalone and Assemble need it. Without it, the emitted code has numbers
	// instead of names of constants.
	Sources fs.FS
}

// maxEmbedded is the size of the largest weights file that the Go linker accepts, with room for the
// rest of the program.
const maxEmbedded = 1_900_000_000

// Emit returns the package's files by their paths relative to its folder. Emit changes the plans:
// it lays out their memory, after which buffers may share storage.
func Emit(p *Package) (map[string][]byte, error) {
	if !token.IsIdentifier(p.Name) || p.Name == "_" {
		return nil, fmt.Errorf("%q is not a valid name of a Go package", p.Name)
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
	// Choose the buffers that become variables before any code is emitted. A buffer that leaves the
	// arena changes the places of all others.
	for _, s := range all {
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

// signature checks a plan, and assigns places in memory to the plan's buffers.
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
	calls   []*signature // all variants of all signatures; a signature has a variant for each choice of ranks
	sigs    []*signature // the variants that do not share the code of another variant
	init    *signature   // nil for none
	files   map[string][]byte
	data    weightsFile
	kept    keptState
	vars    resources
	saves   []*plan.Buf
	carry   []*plan.Const
	kernels kernelFile
	library map[[2]string]bool // package and name of the functions that may launch library kernels
	// assembled reports whether New refers to machine code.
	assembled bool
	packages  map[string]bool // packages of this module that the emitted code imports
	enums     constants       // names of constants, for the packages whose types occur in emitted literals
}

// entry is a signature as its callers see it. It becomes one method, even if it has several
// variants.
type entry struct {
	sig      *rt.Signature
	method   string // Predict
	prefix   string // prefix of unexported names, such as predict
	feeds    []string
	fetches  []string
	variants []*signature // one for each choice of ranks of the feeds
}

// signature is one variant of an entry, or a part of one: a plan with the names chosen for its
// code.
type signature struct {
	*entry
	plan   *plan.Plan
	layout *plan.Layout
	of     *signature // the signature whose code is called; nil if this signature has separate code
	shared bool       // whether other signatures call the code of this one
	// prefix of unexported names; equal to that of the entry if the entry has only one variant
	prefix string
	file   string          // base name of the files with the steps, without .gen.go
	dims   map[string]bool // symbols of plan.Dims
	bound  []string        // symbols of the sizes that steps compute, in the order of the steps
	root   map[*plan.Buf]int
	grown  map[*plan.Buf]int
	// devRoot maps the buffers in the arena of the device to their numbers.
	devRoot map[*plan.Buf]int
	// segments is the number of segments emitted so far. A segment is a sequence of steps that a
	// device records once and then replays.
	segments int
	// recorded has the calls that record segments, but only for those segments that depend on
	// nothing but the sizes of the feeds.
	recorded []jen.Code
	// copies is the number of copies between host and device emitted in segments so far.
	copies int
	// devVars maps the variables that have values in device memory to their numbers.
	devVars map[*plan.Buf]int
	holds   [][]devvar.Use // for each segment: the variables in device memory that the segment uses
	consts  map[*plan.Const]bool
	// parts has one element for each device if the signature runs on several devices. For the
	// element q = parts[k], q.number is k, and q.whole is the signature that callers see.
	parts  []*signature
	whole  *signature
	number int
	steps  *stepsFile        // the emitted steps
	sizes  map[string]string // names of sizes by symbol, shared by all parts
	// reserved are the names that locals must not have.
	reserved scope
}

// group makes one entry for each signature name, from all variants with that name.
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

// sameCaller returns an error if two variants of a signature have different feeds or fetches,
// because one method could not run both.
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
		return fmt.Errorf("plans for several ranks have different feeds or fetches")
	}
	return nil
}

// path returns the import path by which emitted code imports a package.
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

// render writes a file to b.
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
