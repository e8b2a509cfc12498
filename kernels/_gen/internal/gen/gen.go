// Package gen holds code that the generators of typed kernels share: the element types, and
// functions that write Go files.
package gen

import (
	"fmt"
	"go/format"
	"log"
	"os"
	"path/filepath"
	"strings"
)

// Type is a Go element type.
type Type struct {
	Suffix string // ends the names of the kernels for the type
	Go     string
	DType  string // package tensor's constant
	Short  string // in comments
}

// Types are the element types of tensors.
var Types = []Type{
	{"F32", "float32", "Float32", "f32"},
	{"F64", "float64", "Float64", "f64"},
	{"F16", "tensor.F16", "Half", "f16"},
	{"BF16", "tensor.BF16", "BFloat16", "bf16"},
	{"I8", "int8", "Int8", "i8"},
	{"I16", "int16", "Int16", "i16"},
	{"I32", "int32", "Int32", "i32"},
	{"I64", "int64", "Int64", "i64"},
	{"U8", "uint8", "Uint8", "u8"},
	{"U16", "uint16", "Uint16", "u16"},
	{"U32", "uint32", "Uint32", "u32"},
	{"U64", "uint64", "Uint64", "u64"},
	{"Bool", "bool", "Bool", "bool"},
	{"C64", "complex64", "Complex64", "c64"},
	{"C128", "complex128", "Complex128", "c128"},
	{"Str", "string", "String", "str"},
	{"Handle", "tensor.Handle", "Resource", "handles"},
}

// Find returns the type with that suffix.
func Find(suffix string) Type {
	for _, t := range Types {
		if t.Suffix == suffix {
			return t
		}
	}
	log.Fatalf("no element type %q", suffix)
	return Type{}
}

// Pick returns the types with the given suffixes, a list separated by blanks.
func Pick(suffixes string) []Type {
	var out []Type
	for _, s := range strings.Fields(suffixes) {
		out = append(out, Find(s))
	}
	return out
}

// Save formats a Go file and writes it.
func Save(path, text string) {
	src, err := format.Source([]byte(text))
	if err != nil {
		log.Fatalf("%s: %v\n%s", path, err, text)
	}
	if err := os.WriteFile(path, src, 0o644); err != nil {
		log.Fatal(err)
	}
}

// SavePackage saves a file of package pkg: head, the package clause, the imports that text uses,
// and text.
func SavePackage(path, head, pkg, text string, imports ...string) {
	var used strings.Builder
	for _, i := range imports {
		if strings.Contains(text, filepath.Base(i)+".") {
			fmt.Fprintf(&used, "%q\n", i)
		}
	}
	if used.Len() > 0 {
		text = "import (\n" + used.String() + ")\n" + text
	}
	Save(path, head+"package "+pkg+"\n\n"+text)
}
