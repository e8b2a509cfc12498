// Package libdevice holds functions of NVIDIA's libdevice, and a few in its manner, as
// pieces of PTX that other PTX includes: neither a call nor a stack is left. They are
// compiled by kernels/gpu/_gen.
//
// A function is named as in C with the type of its arguments and of its result:
// tanh_f32, pow_f64. Accuracy and special values are those that the CUDA C
// programming guide states; digamma is as kernels/elem computes it.
package libdevice

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/graphc/graphc/rt/device/packed"
)

// fragments is the text of all functions, compressed: each one's behind a line of mark and its name.
//
//go:embed fragments.ptx.gz
var fragments string

const mark = "== "

// texts are the functions' texts by name.
var texts = sync.OnceValue(func() map[string]string {
	all, err := packed.Unpack(fragments)
	if err != nil {
		panic("libdevice: fragments.ptx.gz: " + err.Error()) // a test looks every function up
	}
	m := make(map[string]string, len(table))
	for piece := range strings.SplitSeq("\n"+all, "\n"+mark) {
		if name, text, ok := strings.Cut(piece, "\n"); ok && name != "" {
			m[name] = strings.TrimSuffix(text, "\n") + "\n"
		}
	}
	return m
})

// Fragment is a function.
type Fragment struct {
	Args int
	// Globals are the tables it reads: see Global.
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

// Names are all functions, sorted.
func Names() []string { return slices.Sorted(maps.Keys(table)) }

// Global is the declaration of a table, which stands once in a module that has a
// function which reads it, before the entry.
func Global(name string) string { return globals[name] }

// Include returns the lines that set dst to the function of args, which are registers
// of the function's type; dst may be one of them. own is a name that begins with a
// letter and is no other inclusion's in the same entry: all registers, labels and
// memory of the lines begin with it. Declarations come first.
func (f Fragment) Include(own, dst string, args ...string) string {
	old := []string{"#=", dst}
	for i, a := range args {
		old = append(old, "#"+string(rune('0'+i)), a)
	}
	return strings.NewReplacer(append(old, "#", own)...).Replace(f.text)
}
