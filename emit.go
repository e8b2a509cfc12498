package graphc

import (
	"context"
	"fmt"
	"go/token"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphc/graphc/codegen"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// EmitOptions control how a program is written as Go.
type EmitOptions struct {
	// Package is the name of the package, which also begins the names of its files; "" means model.
	Package string
	// Main reports whether to write a program (package main with a command line) instead of a
	// package.
	Main bool
	// Standalone reports whether to copy the files that the package needs from the run time and the
	// kernels. The copies are in folders below internal/, and the package builds with only the Go
	// toolchain. Otherwise the package imports these files from this module, which its go.mod must
	// require.
	Standalone bool
	// RunTime is the import path of a folder with copies that several standalone packages of a
	// module share. RunTimeFiles returns these copies. "" means that the package gets separate
	// copies.
	RunTime string
	// Processors are the processors, as GOARCH values, whose assembly standalone packages contain.
	// On other processors the kernels run their Go code. nil means all processors that the function
	// Processors returns.
	Processors []string
	// Example reports whether to write a test file with an example for go doc. The example shows
	// how to create and run a model. The package's tests compile the example but do not run it.
	// Example needs ImportPath.
	Example bool
	// ImportPath is the import path that the package will have; "" means Package. A standalone
	// package needs its true path, because it imports its copies by this path.
	ImportPath string
	// GoMod reports whether to add a go.mod for a module with the path ImportPath. It is for a
	// standalone package that is not in another module.
	GoMod bool
	// Sidecar reports whether to store the weights in a file next to the program even if they could
	// be embedded.
	Sidecar bool
	// Model is the model's name in the files; "" means the base name of its path.
	Model string
	// Version is the version of graphc to record in each file, vX.Y.Z; "" omits it.
	Version string
	// Assemble compiles kernels for GPUs from PTX to machine code. Each element of its result has
	// the machine code of one element of texts, for all processors on which the program should
	// start without compiling that PTX. If Assemble is nil, nothing is compiled. Setting Assemble
	// is an InvalidArgument error for a program without nodes on a GPU, and for a standalone
	// program, whose GPUs are simulated.
	Assemble func(ctx context.Context, texts []PTX) ([][]MachineCode, error)
}

// PTX is the text of a module of GPU kernels in NVIDIA's assembly language PTX.
type PTX struct{ Name, Text string }

// MachineCode is a cubin for processors of compute capability Major.Minor.
type MachineCode struct {
	Major, Minor int
	Code         []byte
}

// goDirective is the language version of emitted code.
const goDirective = "1.26"

// Files returns the program as a Go package: a map from the slash-separated paths of the files,
// below the package's folder, to their contents. The contents are those that graphc build writes:
// Go sources, the weights, and the copies of a standalone package. Equal models and options give
// equal bytes. nil options mean the zero value. Each caller gets a separate map and files.
//
// Files first checks the declarations of the Go functions that the user wrote as kernels of ops. The
// code of the error is NotFound for a missing function or package, InvalidArgument for a function
// with an unsuitable declaration, and FailedPrecondition if the go command cannot determine the
// declarations. The code is also InvalidArgument for invalid options. All other errors are those of
// Compile. Each error is an *Error.
func (p *Program) Files(ctx context.Context, o *EmitOptions) (map[string][]byte, error) {
	if o == nil {
		o = &EmitOptions{}
	}
	pkg, err := p.codegen(ctx, o)
	if err != nil {
		return nil, diagnose(err, p.model.Path())
	}
	c, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.checkGoOps(ctx); err != nil {
		return nil, err
	}
	pkg.Plans, pkg.Init, pkg.Defaults = c.Plans(), c.InitPlan(), c.Defaults.Emitted()
	if pkg.Carried, err = c.Carried(); err != nil {
		return nil, diagnose(err, p.model.Path())
	}
	files, err := p.within(ctx, c.spent, func() (map[string][]byte, error) { return codegen.Emit(pkg) })
	if err != nil {
		return nil, diagnoseAs(err, p.model.Path(), tensor.Internal)
	}
	if o.GoMod {
		files["go.mod"] = []byte(goMod(pkg))
	}
	return files, nil
}

// checkGoOps checks the Go functions that the program calls; see goop.Set.Check.
func (p *Program) checkGoOps(ctx context.Context) error {
	return diagnoseAs(p.model.goOps.Check(ctx), p.model.Path(), tensor.InvalidArgument)
}

// codegen checks the options and returns the description of the package to emit. The caller must
// add the plans.
func (p *Program) codegen(ctx context.Context, o *EmitOptions) (*codegen.Package, error) {
	pkg := &codegen.Package{Name: o.Package, ImportPath: o.ImportPath, Model: o.Model, ModelSum: p.model.SHA256(), Main: o.Main,
		Standalone: o.Standalone, Runtime: o.RunTime, Processors: o.Processors, Example: o.Example, Version: o.Version, Sidecar: o.Sidecar, Sources: sources}
	if pkg.Name == "" {
		pkg.Name = "model"
	}
	if !token.IsIdentifier(pkg.Name) || pkg.Name == "_" {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%q is not a valid name of a Go package", pkg.Name)
	}
	if pkg.ImportPath == "" {
		pkg.ImportPath = pkg.Name
	}
	if pkg.Model == "" {
		pkg.Model = p.model.name
	}
	switch err := checkProcessors(o.Processors); {
	case err != nil:
		return nil, err
	case o.RunTime != "" && !o.Standalone:
		return nil, tensor.Errorf(tensor.InvalidArgument, "RunTime is for standalone packages: set Standalone too")
	case o.Example && (o.Main || o.ImportPath == ""):
		return nil, tensor.Errorf(tensor.InvalidArgument, "Example needs ImportPath, and a package instead of a program")
	case o.Processors != nil && !o.Standalone:
		return nil, tensor.Errorf(tensor.InvalidArgument, "Processors is for standalone packages: set Standalone too")
	}
	if o.GoMod && !o.Standalone {
		return nil, tensor.Errorf(tensor.InvalidArgument, "GoMod is for standalone packages: set Standalone too")
	}
	if o.Assemble == nil {
		return pkg, nil
	}
	if !p.onGPU() {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Assemble is for programs on GPUs, and no node is placed on one: see Options.Devices")
	}
	if o.Standalone {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Assemble is for programs built with CUDA, and a standalone package has simulated GPUs only")
	}
	pkg.Assemble = assembler(ctx, o.Assemble)
	return pkg, nil
}

// Processors returns the processors for which kernels have assembly, as GOARCH values.
func Processors() []string { return codegen.Processors() }

// checkProcessors returns an error for processors for which kernels have no assembly.
func checkProcessors(list []string) error {
	for _, a := range list {
		if !slices.Contains(Processors(), a) {
			return tensor.Errorf(tensor.InvalidArgument, "the kernels have no assembly for processor %q, only for %s", a, strings.Join(Processors(), ", "))
		}
	}
	return nil
}

// RunTimeFiles returns the copies of the run time and of the kernels that standalone packages
// share, keyed by their paths below the folder with the import path o.RunTime. The packages must be
// the results of Files with the same RunTime. Of the other options, only Version and Processors
// have an effect. The error is InvalidArgument for invalid options. It is also InvalidArgument if a
// package imports something from that folder that graphc does not have.
func RunTimeFiles(o *EmitOptions, packages ...map[string][]byte) (map[string][]byte, error) {
	if o == nil || o.RunTime == "" {
		return nil, diagnose(tensor.Errorf(tensor.InvalidArgument, "RunTime is not set: it is the import path of the folder"), "")
	}
	if err := checkProcessors(o.Processors); err != nil {
		return nil, diagnose(err, "")
	}
	c := &codegen.Copies{Sources: sources, Runtime: o.RunTime, Version: o.Version, Processors: o.Processors}
	files, err := c.Of(packages...)
	return files, diagnoseAs(err, "", tensor.InvalidArgument)
}

// onGPU reports whether nodes are placed on a GPU.
func (p *Program) onGPU() bool {
	for _, d := range p.devices {
		if device.TypeOf(d) == "GPU" {
			return true
		}
	}
	return false
}

// assembler returns a function that calls assemble and converts its argument and its result between
// the types of this package and those of package codegen.
func assembler(ctx context.Context, assemble func(context.Context, []PTX) ([][]MachineCode, error)) func([]codegen.PTX) ([][]codegen.Machine, error) {
	return func(texts []codegen.PTX) ([][]codegen.Machine, error) {
		in := make([]PTX, len(texts))
		for i, t := range texts {
			in[i] = PTX(t)
		}
		made, err := assemble(ctx, in)
		if err != nil {
			return nil, err
		}
		if len(made) != len(in) {
			return nil, tensor.Errorf(tensor.InvalidArgument, "Assemble returned machine code for %d of %d texts", len(made), len(in))
		}
		out := make([][]codegen.Machine, len(made))
		for i, list := range made {
			for _, m := range list {
				out[i] = append(out[i], codegen.Machine(m))
			}
		}
		return out, nil
	}
}

// goMod returns the go.mod of a standalone package that is not in another module.
func goMod(p *codegen.Package) string {
	version := ""
	if p.Version != "" {
		version = " " + p.Version
	}
	return fmt.Sprintf("// Code generated by graphc%s. DO NOT EDIT.\n\nmodule %s\n\ngo %s\n", version, p.ImportPath, goDirective)
}

// modelName returns a model's name for generated files: for a SavedModel or a tfjs model, it is the
// name of the model's folder. The root of an fs.FS has no name, so a model there is named model,
// whatever the working directory is.
func modelName(path string, inFS bool) string {
	path = filepath.ToSlash(filepath.Clean(path))
	switch base := pathpkg.Base(path); base {
	case "saved_model.pb", "saved_model.pbtxt", "model.json":
		path = pathpkg.Dir(path)
	case ".":
	default:
		return base
	}
	if abs, err := filepath.Abs(path); err == nil && !inFS {
		return filepath.Base(abs)
	}
	if base := pathpkg.Base(path); base != "." {
		return base
	}
	return "model"
}
