package base

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/files"
)

// Clip returns the first n characters of a text, followed by "…" if the text is longer.
func Clip(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i] + "…"
		}
	}
	return text
}

// Plural returns the number n and a noun, such as "1 step" or "2 steps". The parameter what is the
// noun in the singular.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// WrapModel adds the model's path to the text of err. If a line of the text begins with the name of
// a model's file, the path replaces this name. Otherwise, the path is put before the text.
func WrapModel(paths []string, err error) error {
	var ce *CodeError
	if err == nil || errors.As(err, &ce) || len(paths) == 0 {
		return err
	}
	lines := strings.Split(err.Error(), "\n")
	named := false
	for i, line := range lines {
		for _, p := range paths {
			if rest, ok := cutName(line, p); ok {
				lines[i] = p + ": " + rest
				named = true
				break
			}
		}
	}
	if text := strings.Join(lines, "\n"); named {
		return &textError{text, err}
	}
	var inFile *frontend.FileError // an error about a file in the model's folder
	for _, p := range paths {
		switch {
		case !strings.Contains(lines[0], p) || errors.As(err, &inFile):
		case strings.Contains(files.Without(p, err.Error()), p): // the text contains the path already, in the middle of a sentence
			return err
		default:
			return files.In(p, err)
		}
	}
	return files.In(paths[0], err)
}

// cutName returns the line without the name of a model's file at its start. The name is the path,
// the base name, or the path followed by ": " and the base name. The bool is false if the line does
// not start with the name.
func cutName(line, path string) (string, bool) {
	for _, name := range []string{path + ": " + filepath.Base(path), path, filepath.Base(path)} {
		if rest, ok := strings.CutPrefix(line, name+": "); ok {
			return rest, true
		}
	}
	return line, false
}

// WithText returns an error that wraps err and has the given text instead of err's.
func WithText(text string, err error) error { return &textError{text, err} }

// textError wraps an error and replaces its text.
type textError struct {
	text string
	err  error
}

// Error returns the text.
func (e *textError) Error() string { return e.text }

// Unwrap returns the wrapped error.
func (e *textError) Unwrap() error { return e.err }

// WriteJSON prints v as indented JSON with a newline.
func (a *App) WriteJSON(v any) error {
	enc := json.NewEncoder(a.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Nearest returns a hint for error messages, such as `; did you mean "fold"?`, with the element of
// words that is most similar to word. It returns "" if none is similar.
func Nearest(word string, words []string) string {
	if s := ir.Nearest(word, words); s != "" {
		return fmt.Sprintf("; did you mean %q?", s)
	}
	return ""
}

// NearestFlag returns a hint for error messages, such as "; did you mean --fuel?", with the element
// of flags that is most similar to name. It returns "" if none is similar.
func NearestFlag(name string, flags []string) string {
	if s := ir.Nearest(name, flags); s != "" {
		return fmt.Sprintf("; did you mean --%s?", s)
	}
	return ""
}

// SortedKeys returns the sorted keys of a map.
func SortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// Or returns s, or t if s is empty.
func Or(s, t string) string {
	if s == "" {
		return t
	}
	return s
}

// Count formats a number with three digits and a prefix such as k or M: 3500000 gives "3.5 M".
func Count(n float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if n >= u.size {
			return strconv.FormatFloat(n/u.size, 'g', 3, 64) + u.name
		}
	}
	return strconv.FormatFloat(n, 'g', 4, 64)
}
