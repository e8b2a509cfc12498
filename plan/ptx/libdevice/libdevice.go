// Package libdevice holds functions of NVIDIA's libdevice, and a few similar ones, as pieces of PTX
// that other PTX includes. The pieces contain no calls and use no stack. kernels/gpu/_gen generates
// them.
//
// A function is named as in C, with the type of its arguments and its result: tanh_f32, pow_f64.
// Accuracy and special values are as specified in the CUDA C programming guide; digamma is computed
// as in kernels/elem.
package libdevice

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/graphc/graphc/rt/device/packed"
)

// fragments is the compressed text of all functions. The text of each function is preceded by a line
// that consists of the constant mark and the function's name.
//
//go:embed fragments.ptx.gz
var fragments string

// Notice states the copyright and the licence of the functions. A text that includes a function
// must be distributed together with this notice.
//
//go:embed notice.txt
var Notice string

const mark = "== "

// texts returns a map from the functions' names to their texts.
var texts = sync.OnceValue(func() map[string]string {
	all, err := packed.Unpack(fragments)
	if err != nil {
		panic("libdevice: fragments.ptx.gz: " + err.Error()) // cannot happen, because a test looks up every function
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
	// Globals are the names of the tables that the function reads; see Global.
	Globals []string
	text    string
}

// Lookup returns the fragment of the function with the given name.
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

// Global returns the declaration of a table. A module with functions that read the table must
// contain the declaration once, before the kernel's entry.
func Global(name string) string { return globals[name] }

// Include returns the lines that compute the function of the registers args, and store the result
// in the register dst. All registers have the function's type; dst may be one of args. In the
// returned lines, all names of registers, labels and memory begin with the text in the parameter
// own. It must begin with a letter, and must be different for each call of Include that adds to the
// same kernel. The declarations come first in the lines.
func (f Fragment) Include(own, dst string, args ...string) string {
	old := []string{"#=", dst}
	for i, a := range args {
		old = append(old, "#"+string(rune('0'+i)), a)
	}
	return strings.NewReplacer(append(old, "#", own)...).Replace(f.text)
}
