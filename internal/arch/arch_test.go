// Package arch tests the rules of the architecture: which package may import which.
package arch

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/graphc/graphc"

type pkg struct {
	ImportPath string
	Standard   bool
	Imports    []string
	Deps       []string
}

// list returns the module's packages and their dependencies, by import path.
func list(t *testing.T, env ...string) map[string]*pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Imports,Deps", module+"/...")
	cmd.Env = append(cmd.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	pkgs := map[string]*pkg{}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for dec.More() {
		p := &pkg{}
		if err := dec.Decode(p); err != nil {
			t.Fatal(err)
		}
		pkgs[p.ImportPath] = p
	}
	if pkgs[module+"/rt/tensor"] == nil {
		t.Fatal("go list does not know rt/tensor")
	}
	return pkgs
}

// room returns the top-level folder of this module to which a package belongs: "rt" for rt/tensor.
// The tests call such a folder a room.
func room(path string) string {
	rest, ok := strings.CutPrefix(path, module+"/")
	if !ok {
		return ""
	}
	r, _, _ := strings.Cut(rest, "/")
	return r
}

// mayImport lists, for each room, the rooms that it may import directly. All rooms may import
// rt/tensor and packages of the same room.
var mayImport = map[string][]string{
	"ir":        {},
	"plan":      {"ir", "rt"},
	"frontend":  {"ir", "rt"},
	"lower":     {"ir", "plan", "kernels", "rt"},
	"ops":       {"ir", "plan", "lower", "kernels", "rt"},
	"passes":    {"ir", "lower", "kernels"},
	"placer":    {"ir"},
	"partition": {"ir"},
	"exec":      {"plan", "ir", "rt"},
	"codegen":   {"plan", "ir", "rt"},
	"kernels":   {"rt"},
	"rt":        {},
}

func TestImports(t *testing.T) {
	for path, p := range list(t) {
		allowed, ruled := mayImport[room(path)]
		if !ruled {
			continue
		}
		ok := map[string]bool{room(path): true}
		for _, r := range allowed {
			ok[r] = true
		}
		for _, imp := range p.Imports {
			r := room(imp)
			if r == "" || ok[r] || imp == module+"/rt/tensor" {
				continue
			}
			if (room(path) == "lower" || room(path) == "ops" || room(path) == "passes" || room(path) == "placer" || room(path) == "partition") && r == "frontend" && strings.HasSuffix(imp, "/opdef") {
				continue // package opdef contains only data: the signatures of ops
			}
			t.Errorf("%s imports %s: %s may import only %v", path, imp, room(path), allowed)
		}
	}
}

// runTime lists packages that programs link, each with the packages of the run time and the kernels
// that it may import. A package that is not in this list is only subject to TestImports and
// TestRunTimeIsLean.
var runTime = map[string][]string{
	"rt":            {"rt/mem", "rt/par", "rt/tensor"},
	"rt/mem":        {"rt/tensor"},
	"rt/par":        {},
	"rt/tensor":     {},
	"rt/save":       {"rt", "rt/bundle", "rt/resource", "rt/tensor"},
	"rt/parts":      {"rt", "rt/device", "rt/rendezvous", "rt/tensor"},
	"rt/devwork":    {"rt", "rt/device", "rt/device/devvar", "rt/mem", "rt/rendezvous", "rt/tensor"},
	"rt/device":     {"rt/mem", "rt/rendezvous", "rt/tensor"},
	"rt/rendezvous": {"rt/par", "rt/tensor"},
	"rt/resource":   {"rt/files", "rt/inflate", "rt/mem", "rt/tensor"},
	"rt/bundle":     {"rt/files", "rt/tensor"},
}

// TestRunTimeImports: a package that programs link imports only the packages that runTime lists for
// it. Therefore a program links only the packages that it uses, and a standalone package contains
// only these.
func TestRunTimeImports(t *testing.T) {
	pkgs := list(t)
	for name, allowed := range runTime {
		p := pkgs[module+"/"+name]
		if p == nil {
			t.Errorf("there is no %s", name)
			continue
		}
		for _, imp := range p.Imports {
			if rest, ours := strings.CutPrefix(imp, module+"/"); ours && !slices.Contains(allowed, rest) {
				t.Errorf("%s imports %s: it may import only %v", name, rest, allowed)
			}
		}
	}
}

// families are the packages of ops. Each of them may import only the packages before it in this
// list.
var families = []string{"bytype", "kit", "math", "array", "index", "linalg", "random", "image", "nn", "quant", "sparse", "ragged", "state", "text", "train", "flow", "gotypes"}

// TestFamilies checks that each package of ops imports only packages of ops that precede it in the
// list of families. A change of one package then recompiles only a few others. Outside of internal and
// cmd, only package ops imports these packages, because it holds the table of all ops. (Package
// random also imports package joekuo, which is not in the list; it contains a table of numbers.)
func TestFamilies(t *testing.T) {
	seen := 0
	for path, p := range list(t) {
		rest, in := strings.CutPrefix(path, module+"/ops/")
		at := -1
		if in {
			at = slices.Index(families, rest)
		}
		if in && at < 0 && rest != "joekuo" {
			t.Errorf("%s is not in the list of families", path)
		}
		if at >= 0 {
			seen++
		}
		for _, imp := range p.Imports {
			other, is := strings.CutPrefix(imp, module+"/ops/")
			if !is || path == module+"/ops" || rest == "random" && other == "joekuo" {
				continue
			}
			if before := slices.Index(families, other); at < 0 && room(path) != "internal" && room(path) != "cmd" || at >= 0 && before >= at {
				t.Errorf("%s imports %s: the order of families is %v", path, imp, families)
			}
		}
	}
	if seen != len(families) {
		t.Errorf("%d of %d families are there", seen, len(families))
	}
}

// wings are the packages of passes. Each of them may import only the packages before it in this
// list.
var wings = []string{"edit", "grad", "algebra", "fuse", "layout", "flow", "state"}

// TestWings: a wing imports only wings before it. Only package passes, which holds the table of
// passes, imports wings.
func TestWings(t *testing.T) {
	for path, p := range list(t) {
		at := -1
		if rest, in := strings.CutPrefix(path, module+"/passes/"); in {
			if at = slices.Index(wings, rest); at < 0 {
				t.Errorf("%s is not in the list of wings", path)
			}
		}
		for _, imp := range p.Imports {
			other, is := strings.CutPrefix(imp, module+"/passes/")
			if !is || path == module+"/passes" {
				continue
			}
			if before := slices.Index(wings, other); at < 0 || before >= at {
				t.Errorf("%s imports %s: the order of wings is %v, and only the table of passes imports them", path, imp, wings)
			}
		}
	}
}

// TestRunTimeIsLean: packages that emitted programs link import only each other, the standard
// library and golang.org/x/sys/cpu.
func TestRunTimeIsLean(t *testing.T) {
	for _, env := range [][]string{{"GOARCH=amd64"}, {"GOARCH=arm64"}} {
		pkgs := list(t, env...)
		for path := range pkgs {
			if r := room(path); r != "rt" && r != "kernels" {
				continue
			}
			for _, dep := range pkgs[path].Deps {
				d := pkgs[dep]
				if d == nil || d.Standard || room(dep) == "rt" || room(dep) == "kernels" || strings.HasPrefix(dep, "golang.org/x/sys/cpu") {
					continue
				}
				t.Errorf("%v: %s depends on %s: rt and kernels import no compiler package and no third party", env, path, dep)
			}
			for _, imp := range pkgs[path].Imports {
				if imp == "C" || imp == "runtime/cgo" {
					t.Errorf("%s uses cgo", path)
				}
			}
		}
	}
}

// TestOnlyDevicesUnpack: only devices that load modules depend on the decompression of PTX. Kernels
// and programs do not, so programs for CPUs do not link it.
func TestOnlyDevicesUnpack(t *testing.T) {
	for path, p := range list(t) {
		rest, _ := strings.CutPrefix(path, module+"/")
		ours := (room(path) == "rt" && !strings.HasPrefix(rest, "rt/device/")) || room(path) == "kernels" && !strings.HasPrefix(rest, "kernels/gpu/internal/") || rest == "examples/emotion"
		if ours && slices.Contains(p.Deps, module+"/rt/device/packed") {
			t.Errorf("%s depends on rt/device/packed", path)
		}
	}
}

// TestRootIsAbove: the root package is the compiler as a library. It imports packages of the rooms,
// so no package of a room may depend on it. The command and its tools use the root package.
func TestRootIsAbove(t *testing.T) {
	for path, p := range list(t) {
		_, ruled := mayImport[room(path)]
		if (ruled || path == module+"/internal/pipeline") && slices.Contains(p.Deps, module) {
			t.Errorf("%s depends on the root package, which depends on it", path)
		}
	}
}

// TestCodegenKnowsNoOps: codegen derives a kernel's name from its function value. It receives the
// sources to copy as an argument. Therefore it needs neither the ops nor the root package, and the
// root package can import it.
func TestCodegenKnowsNoOps(t *testing.T) {
	for _, dep := range list(t)[module+"/codegen"].Deps {
		if dep == module {
			t.Errorf("codegen depends on the root package")
		}
		if r := room(dep); r == "ops" || r == "kernels" || r == "passes" || r == "frontend" {
			t.Errorf("codegen depends on %s", dep)
		}
	}
}
