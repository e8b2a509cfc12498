// Package nvrtc compiles CUDA C to PTX with NVIDIA's run-time compiler NVRTC, which needs neither a
// GPU nor a driver. Load opens the compiler's shared library and must be called before Compile.
package nvrtc

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>

typedef void *prog;
static int (*version_)(int *, int *);
static int (*create_)(prog *, const char *, const char *, int, const char *const *, const char *const *);
static int (*compile_)(prog, int, const char *const *);
static int (*ptxsize_)(prog, size_t *);
static int (*ptx_)(prog, char *);
static int (*logsize_)(prog, size_t *);
static int (*log_)(prog, char *);
static int (*destroy_)(prog *);

static const char *load(const char *path) {
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!lib) return dlerror();
	struct { void *where; const char *name; } all[] = {
		{&version_, "nvrtcVersion"}, {&create_, "nvrtcCreateProgram"}, {&compile_, "nvrtcCompileProgram"},
		{&ptxsize_, "nvrtcGetPTXSize"}, {&ptx_, "nvrtcGetPTX"}, {&logsize_, "nvrtcGetProgramLogSize"},
		{&log_, "nvrtcGetProgramLog"}, {&destroy_, "nvrtcDestroyProgram"},
	};
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		void *f = dlsym(lib, all[i].name);
		if (!f) return dlerror();
		*(void **)all[i].where = f;
	}
	return 0;
}
static int version(int *a, int *b) { return version_(a, b); }
static int create(prog *p, const char *src, const char *name, int n, const char *const *heads, const char *const *names) {
	return create_(p, src, name, n, heads, names);
}
static int compile(prog p, int n, const char *const *opts) { return compile_(p, n, opts); }
static int ptxsize(prog p, size_t *n) { return ptxsize_(p, n); }
static int ptx(prog p, char *s) { return ptx_(p, s); }
static int logsize(prog p, size_t *n) { return logsize_(p, n); }
static int getlog(prog p, char *s) { return log_(p, s); }
static int destroy(prog *p) { return destroy_(p); }
*/
import "C"

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"
)

// Load opens libnvrtc.so.12 in dir and returns its version. The folder must hold
// libnvrtc-builtins too.
func Load(dir string) (major, minor int, err error) {
	path := C.CString(filepath.Join(dir, "libnvrtc.so.12"))
	defer C.free(unsafe.Pointer(path))
	if e := C.load(path); e != nil {
		return 0, 0, fmt.Errorf("nvrtc: %s", C.GoString(e))
	}
	var a, b C.int
	if rc := C.version(&a, &b); rc != 0 {
		return 0, 0, fmt.Errorf("nvrtc: version: error %d", rc)
	}
	return int(a), int(b), nil
}

// cstrings returns C copies of strings. They are never freed.
func cstrings(ss []string) **C.char {
	if len(ss) == 0 {
		return nil
	}
	p := (**C.char)(C.malloc(C.size_t(len(ss)) * C.size_t(unsafe.Sizeof((*C.char)(nil)))))
	for i, s := range ss {
		unsafe.Slice(p, len(ss))[i] = C.CString(s)
	}
	return p
}

// Compile compiles a source file and returns the PTX. #include "name" includes
// headers[name]. The error holds the compiler's messages.
func Compile(name, src string, headers map[string]string, options ...string) (string, error) {
	var names, texts []string
	for h := range headers {
		names = append(names, h)
	}
	slices.Sort(names)
	for _, h := range names {
		texts = append(texts, headers[h])
	}
	csrc, cname := C.CString(src), C.CString(name)
	defer C.free(unsafe.Pointer(csrc))
	defer C.free(unsafe.Pointer(cname))
	var p C.prog
	if rc := C.create(&p, csrc, cname, C.int(len(names)), cstrings(texts), cstrings(names)); rc != 0 {
		return "", fmt.Errorf("nvrtc: create: error %d", rc)
	}
	defer C.destroy(&p)
	rc := C.compile(p, C.int(len(options)), cstrings(options))
	var n C.size_t
	C.logsize(p, &n)
	log := make([]byte, n+1)
	C.getlog(p, (*C.char)(unsafe.Pointer(&log[0])))
	if msg := strings.TrimRight(string(log), "\x00\n"); rc != 0 || msg != "" {
		return "", fmt.Errorf("nvrtc: %s: error %d\n%s", name, rc, msg)
	}
	C.ptxsize(p, &n)
	text := make([]byte, n+1)
	if rc := C.ptx(p, (*C.char)(unsafe.Pointer(&text[0]))); rc != 0 {
		return "", fmt.Errorf("nvrtc: %s: error %d", name, rc)
	}
	return strings.TrimRight(string(text), "\x00"), nil
}
