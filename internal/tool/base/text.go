package base

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir"
)

// Plural is a number of things in words: 1 step, 2 steps.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// WrapModel puts the model's name before an error that does not have it.
func WrapModel(paths []string, err error) error {
	var ce *CodeError
	if err == nil || errors.As(err, &ce) || len(paths) == 0 || strings.Contains(err.Error(), paths[0]) {
		return err
	}
	return fmt.Errorf("%s: %w", paths[0], err)
}

// WriteJSON prints v, indented, with a newline.
func (a *App) WriteJSON(v any) error {
	enc := json.NewEncoder(a.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Nearest is `; did you mean "fold"?` for the nearest of some words, "" where none is near.
func Nearest(word string, words []string) string {
	if s := ir.Nearest(word, words); s != "" {
		return fmt.Sprintf("; did you mean %q?", s)
	}
	return ""
}

// NearestFlag is `; did you mean --fuel?` for the nearest of some flags, "" where none is near.
func NearestFlag(name string, flags []string) string {
	if s := ir.Nearest(name, flags); s != "" {
		return fmt.Sprintf("; did you mean --%s?", s)
	}
	return ""
}

// SortedKeys are the keys of a map in order.
func SortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// Or is s, or t where s is empty.
func Or(s, t string) string {
	if s == "" {
		return t
	}
	return s
}

// Count writes a number with its unit: 3.5 M.
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
