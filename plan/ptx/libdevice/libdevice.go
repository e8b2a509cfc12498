// Package libdevice holds functions of NVIDIA's libdevice, and a few similar ones, as pieces of PTX
// that other PTX includes. No calls and no stack remain in them. kernels/gpu/_gen compiles them.
//
// A function is named as in C, with the type of its arguments and its result: tanh_f32, pow_f64.
// Accuracy and special values are those in the CUDA C programming guide; digamma is computed as in
// kernels/elem.
package libdevice

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/graphc/graphc/rt/device/packed"
)

// fragments is the compressed text of all functions. Each function follows a line with mark and its
// name.
//
//go:embed fragments.ptx.gz
var fragments string

// Notice says whose the functions are. A text that includes one has to be passed on with it.
//
//go:embed notice.txt
var Notice string

const mark = "== "

// texts returns the functions' texts by name.
var texts = sync.OnceValue(func() map[string]string {
	all, err := packed.Unpack(fragments)
	if err != nil {
		panic("libdevice: fragments.ptx.gz: " + err.Error()) // a test looks up every function
	}
	m := make(map[string]string, len(table))
	for piece := range strings.SplitSeq("\n"+all, "\n"+mark) {
		if name, text, ok := strings.Cut(piece, "\n"); ok && name != "" {
			m[name] = strings.TrimSuffix(text, "\n") + "\n"
		}
	}
	return m
})

// Fragment is the code of a function.
type Fragment struct {
	Args int
	// Globals are the tables that it reads: see Global.
	Globals []string
	text    string
}

// Lookup returns a function.
func Lookup(name string) (Fragment, bool) {
	f, ok := table[name]
	if !ok {
		return f, false
	}
	f.text, ok = texts()[name]
	return f, ok
}

// Names returns the sorted names of all functions.
func Names() []string { return slices.Sorted(maps.Keys(table)) }

// Global returns the declaration of a table. A module with a function that reads the table must
// contain it once, before the entry.
func Global(name string) string { return globals[name] }

// Include returns the lines that set dst to the function of args. args are registers of the
// function's type; dst may be one of them. own prefixes all registers, labels and memory of the
// lines. It must begin with a letter and differ from that of other inclusions in the same entry.
// Declarations come first.
func (f Fragment) Include(own, dst string, args ...string) string {
	old := []string{"#=", dst}
	for i, a := range args {
		old = append(old, "#"+string(rune('0'+i)), a)
	}
	return strings.NewReplacer(append(old, "#", own)...).Replace(f.text)
}
