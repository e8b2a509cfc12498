package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unsafeFiles are the files that import unsafe, each with its purpose. Give the reason here when
// you add one.
var unsafeFiles = map[string]string{
	"rt/tensor/raw.go": "the bytes of a slice of numbers, for all who hash or compare constants",

	// The interpreter of plans.
	"exec/memory.go":                 "buffers of one type in the memory of another, as emitted code has them",
	"internal/roofline/asm_amd64.go": "arguments of assembly",

	// The run time: views of the arena and of files. The listed files check the bounds.
	"rt/view.go":                         "typed views of the arena",
	"rt/block.go":                        "the alignment of the arena",
	"rt/weights.go":                      "typed views of the weights",
	"rt/bundle/decode.go":                "bytes of a checkpoint as numbers",
	"rt/bundle/encode.go":                "numbers as bytes of a checkpoint",
	"rt/npy/npy.go":                      "bytes of an array as numbers",
	"rt/npy/write.go":                    "numbers as bytes of an array",
	"rt/mem/call.go":                     "the size of an element that scratch is counted by",
	"rt/mem/held.go":                     "where a text lies, to count it once",
	"rt/resource/array.go":               "the size of what is kept of an access",
	"rt/resource/cells.go":               "the size of a place in a container",
	"rt/resource/list.go":                "the size of a version of a list",
	"rt/par/par.go":                      "the size of a cache line of padding, when compiling",
	"rt/rendezvous/transfer.go":          "a tensor handed over as bytes",
	"rt/resource/data.go":                "a variable's bytes as numbers",
	"rt/device/account.go":               "the alignment of a device's memory",
	"rt/device/devicetest/devicetest.go": "the alignment of a device's memory",

	// The simulated GPU: memory accesses by address, all of which are checked.
	"rt/device/sim/memory.go":      "the addresses of host memory that copies use by themselves",
	"rt/device/sim/ptx/atomic.go":  "atomic operations on bytes of memory",
	"rt/device/sim/ptx/fastmem.go": "elements of memory whose bounds are checked for all lanes before",
	"rt/device/sim/ptx/launch.go":  "memory that begins at a multiple of 8 bytes",
	"rt/device/sim/ptx/memory.go":  "the alignment of a test's memory",
	"rt/device/sim/ptx/quick.go":   "rows of registers as numbers of other types",

	"kernels/gpu/internal/gputest/gputest.go": "numbers of tests as memory of a device",

	// The CUDA driver: handles and addresses of C.
	"rt/device/cuda/host.go":              "the address of memory that the driver locks",
	"rt/device/cuda/module.go":            "the driver's handles in cu's types",
	"rt/device/cuda/batch.go":             "batches as arrays of C's",
	"rt/device/cuda/blas.go":              "handles of cuBLAS",
	"rt/device/cuda/stream.go":            "the addresses of copies",
	"rt/device/cuda/capture.go":           "handles of graphs",
	"internal/fakegpu/device.go":          "memory of the driver's callers",
	"internal/fakegpu/memory.go":          "memory of the driver's callers",
	"internal/fakegpu/module.go":          "memory of the driver's callers",
	"internal/fakegpu/control/control.go": "strings of C's",

	// Kernels that reinterpret numbers as another type.
	"kernels/array/move.go":             "elements of 4 bytes as float32, to be moved by one assembly",
	"kernels/gemm/complex.go":           "complex numbers as pairs",
	"kernels/gemm/int8.go":              "scratch as sums, and signed weights as unsigned",
	"kernels/gemm/int8_batch.go":        "signed weights as unsigned",
	"kernels/internal/narrow/narrow.go": "weights of several types by one pointer",
	"kernels/internal/panel8/out.go":    "signed bytes as unsigned",
	"kernels/quant/product.go":          "scratch as sums",
	"kernels/quant/uniform.go":          "signed bytes as unsigned",
	"kernels/strs/raw.go":               "numbers as bytes: DecodeRaw",
	"kernels/strs/fingerprint.go":       "numbers as bytes: Fingerprint",
	"kernels/train/step.go":             "the address of a variable, to lock several in one order",

	// Callers of functions in assembly. They pass addresses to these functions, and check the
	// lengths before each call.
	"kernels/conv/asm_amd64.go":                  "assembly",
	"kernels/fft/asm_amd64.go":                   "assembly",
	"kernels/conv/asm_arm64.go":                  "assembly",
	"kernels/conv/winofilter_arm64.go":           "assembly",
	"kernels/conv/winograd_arm64.go":             "assembly",
	"kernels/conv/winograd_call_amd64.go":        "assembly",
	"kernels/image/asm_amd64.go":                 "assembly",
	"kernels/internal/narrow/asm_amd64.go":       "assembly",
	"kernels/internal/narrow/asm_arm64.go":       "assembly",
	"kernels/internal/panel/asm_amd64.go":        "assembly",
	"kernels/internal/panel/asm_arm64.go":        "assembly",
	"kernels/internal/panel/f64_amd64.go":        "assembly",
	"kernels/internal/panel/f64_arm64.go":        "assembly",
	"kernels/internal/panel/productf64_amd64.go": "assembly",
	"kernels/internal/panel8/asm_amd64.go":       "assembly",
	"kernels/internal/panel8/asm_arm64.go":       "assembly",
	"kernels/internal/vmath/gather_amd64.go":     "assembly",
	"kernels/internal/vmath/half_amd64.go":       "assembly",
	"kernels/internal/vmath/half_arm64.go":       "assembly",
	"kernels/pool/asm_amd64.go":                  "assembly",
	"kernels/pool/asm_arm64.go":                  "assembly",
}

// goFiles parses the module's Go files, keyed by their paths relative to the root folder. It omits
// tests and the generated code for protocol buffers.
func goFiles(t *testing.T) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	set := token.NewFileSet()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if e.IsDir() {
			if base := e.Name(); rel != "." && (strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") || base == "testdata" || rel == "bench" || rel == "bin") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") || strings.HasSuffix(rel, ".pb.go") {
			return nil
		}
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files[rel] = f
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files["rt/view.go"] == nil {
		t.Fatal("rt/view.go is not found")
	}
	return files
}

// TestUnsafe: only the listed files import unsafe.
func TestUnsafe(t *testing.T) {
	files := goFiles(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		uses := slices.ContainsFunc(files[name].Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"unsafe"` })
		switch _, listed := unsafeFiles[name]; {
		case uses && !listed:
			t.Errorf("%s imports unsafe and is not in the list", name)
		case !uses && listed:
			t.Errorf("%s is in the list and does not import unsafe", name)
		}
	}
	for name := range unsafeFiles {
		if files[name] == nil {
			t.Errorf("%s is in the list and does not exist", name)
		}
	}
}

// TestAssembly: functions written in assembly are not exported. Each one that accesses memory is
// called from one file only, whose functions check the lengths before the call.
func TestAssembly(t *testing.T) {
	files := goFiles(t)
	declared := map[string]map[string][]string{} // package → function → files that declare it
	for name, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body != nil {
				continue
			}
			if fn.Name.IsExported() {
				t.Errorf("%s: %s is written in assembly and exported", name, fn.Name.Name)
			}
			if !takesMemory(fn) {
				continue
			}
			dir := name[:strings.LastIndexByte(name, '/')]
			if declared[dir] == nil {
				declared[dir] = map[string][]string{}
			}
			declared[dir][fn.Name.Name] = append(declared[dir][fn.Name.Name], name)
		}
	}
	if len(declared) < 5 {
		t.Fatalf("assembly in %d packages only", len(declared))
	}
	used := map[string]map[string]bool{} // package.function → files
	for name, f := range files {
		i := strings.LastIndexByte(name, '/')
		if i < 0 || declared[name[:i]] == nil {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Body != nil {
					ast.Inspect(n.Body, func(n ast.Node) bool {
						note(used, declared, name, n)
						return true
					})
				}
				return false
			case *ast.Ident:
				note(used, declared, name, n)
			}
			return true
		})
	}
	for _, fn := range slices.Sorted(maps.Keys(used)) {
		// On each platform, a different file may call the function.
		by := map[string][]string{}
		for file := range used[fn] {
			by[platform(file)] = append(by[platform(file)], file)
		}
		for _, list := range by {
			slices.Sort(list)
			if len(list) > 1 {
				t.Errorf("%s, written in assembly, is called from %s", fn, strings.Join(list, " and "))
			}
		}
	}
}

// takesMemory reports whether a function has an argument that refers to memory.
func takesMemory(fn *ast.FuncDecl) bool {
	for _, p := range fn.Type.Params.List {
		if _, number := p.Type.(*ast.Ident); !number {
			return true
		}
	}
	return false
}

func note(used map[string]map[string]bool, declared map[string]map[string][]string, file string, n ast.Node) {
	id, ok := n.(*ast.Ident)
	if !ok {
		return
	}
	dir := file[:strings.LastIndexByte(file, '/')]
	if declared[dir][id.Name] == nil {
		return
	}
	fn := dir + "." + id.Name
	if used[fn] == nil {
		used[fn] = map[string]bool{}
	}
	used[fn][file] = true
}

// platform returns the architecture at the end of a file's name, or "".
func platform(file string) string {
	for _, p := range []string{"amd64", "arm64"} {
		if strings.HasSuffix(file, "_"+p+".go") {
			return p
		}
	}
	return ""
}
