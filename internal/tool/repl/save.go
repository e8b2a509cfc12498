package repl

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/npy"
	"github.com/graphc/graphc/rt/tensor"
)

// save implements the command "save", which writes values to a file. A name may mean several
// values, for example the outputs of a signature. Only an .npz file can have several values.
func save(ctx context.Context, s *Session, args []string) error {
	name, file := args[0], args[1]
	ext := strings.ToLower(filepath.Ext(file))
	if ext != ".npy" && ext != ".npz" && ext != ".png" && ext != ".txt" {
		return base.Usagef("save: %q: want a file name that ends in .npy, .npz, .png or .txt", file)
	}
	if ext == ".npz" {
		items, err := s.fetch(ctx, args[:1])
		if err != nil {
			return err
		}
		all := map[string]*tensor.Tensor{}
		for _, x := range items {
			all[x.label] = x.value
		}
		return files.WriteWhole(file, func(w io.Writer) error { return npy.WriteZipTo(w, all, false) })
	}
	t, err := s.one(ctx, name)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return npy.Write(w, t) }
	switch ext {
	case ".png":
		b, err := bitmapOf(name, t)
		if err != nil {
			return err
		}
		write = func(w io.Writer) error { return writePNG(w, b) }
	case ".txt":
		write = func(w io.Writer) error { return writeText(w, t) }
	}
	return files.WriteWhole(file, write)
}

// writeText writes a tensor as text. A tensor of strings has one line for each string. Another
// tensor has one line for each row, which is a list along the last dimension.
func writeText(w io.Writer, t *tensor.Tensor) error {
	b := bufio.NewWriter(w)
	if list, ok := t.Data.([]string); ok {
		for _, s := range list {
			fmt.Fprintln(b, s)
		}
		return b.Flush()
	}
	row := 1
	if n := len(t.Shape); n > 0 {
		row = t.Shape[n-1]
	}
	text := exactText(t)
	for i := range t.Len() {
		b.WriteString(text(i))
		if (i+1)%row == 0 {
			b.WriteByte('\n')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.Flush()
}

// exactText returns a function that formats element i of t with the digits that are necessary to
// get the same number back.
func exactText(t *tensor.Tensor) func(i int) string {
	switch d := t.Data.(type) {
	case []complex64:
		return func(i int) string { return strconv.FormatComplex(complex128(d[i]), 'g', -1, 64) }
	case []complex128:
		return func(i int) string { return strconv.FormatComplex(d[i], 'g', -1, 128) }
	case []float64:
		return func(i int) string { return strconv.FormatFloat(d[i], 'g', -1, 64) }
	}
	if at, ok := numbers(t); ok && t.DType.IsFloat() {
		return func(i int) string { return strconv.FormatFloat(at(i), 'g', -1, 32) }
	}
	v := reflect.ValueOf(t.Data)
	return func(i int) string { return fmt.Sprint(v.Index(i).Interface()) }
}
