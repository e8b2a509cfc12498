// Package libdevice holds functions of NVIDIA's libdevice, and a few in its manner, as
// pieces of PTX that other PTX includes: neither a call nor a stack is left. They are
// compiled by kernels/gpu/_gen.
//
// A function is named as in C with the type of its arguments and of its result:
// tanh_f32, pow_f64. Accuracy and special values are those that the CUDA C
// programming guide states; digamma is as kernels/elem computes it.
package libdevice

import (
	"embed"
	"maps"
	"slices"
	"strings"
)

//go:embed ptx
var files embed.FS

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
	b, err := files.ReadFile("ptx/" + name + ".ptx")
	f.text = string(b)
	return f, err == nil
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
