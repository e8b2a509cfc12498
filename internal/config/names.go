package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/graphc/graphc/internal/goname"
)

// short returns the index of the field of struct t that has the tag short, or -1. If there is such
// a field, the file may have a scalar instead of a mapping for t, and the scalar is the field's
// value. Otherwise, the file must have a mapping.
func short(t reflect.Type) int {
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("short") == "true" {
			return i
		}
	}
	return -1
}

// find descends from node n along a path of keys. The key of a list element is its index. find
// returns the last node on the path that exists, and the number of keys that lead to this node.
func find(n ast.Node, keys ...string) (ast.Node, int) {
	for i, key := range keys {
		var next ast.Node
		if list, ok := n.(*ast.SequenceNode); ok {
			if k, err := strconv.Atoi(key); err == nil && k < len(list.Values) {
				next = list.Values[k]
			}
		}
		es, _ := entries(n)
		for _, e := range es {
			if k, _ := scalar(e.Key); k == key {
				next = e.Value
			}
		}
		if next == nil {
			return n, i
		}
		n = next
	}
	return n, len(keys)
}

// keyNode descends from node n along a path of keys, like find. If the path exists, keyNode returns
// the node of the last key itself, not of its value. Otherwise, it returns the node that find
// returns.
func keyNode(n ast.Node, keys ...string) ast.Node {
	at, k := find(n, keys...)
	if k < len(keys) || k == 0 {
		return at
	}
	in, _ := find(n, keys[:k-1]...)
	es, _ := entries(in)
	for _, e := range es {
		if text, _ := scalar(e.Key); text == keys[k-1] {
			return e.Key
		}
	}
	return at
}

// namesKey returns the text that names a path in error messages, such as "models[0].names.f". The
// path is below the key "names" of a model; the parameter model is the index of the model.
func namesKey(model int, path []string) string {
	return strings.Join(append([]string{fmt.Sprintf("models[%d].names", model)}, path...), ".")
}

// NameProblem returns a Problem with the message msg. The Problem has the position, in graphc.yaml,
// of a path below the key "names" of a model. The parameter model is the index of the model; path
// is usually the path of a pipeline.NameError.
func (c *Config) NameProblem(model int, path []string, msg string) Problem {
	p := Problem{Path: filepath.Base(c.Path), Line: 1, Column: 1, Msg: namesKey(model, path) + ": " + msg}
	if c.root == nil {
		return p
	}
	n := keyNode(c.root, append([]string{"models", strconv.Itoa(model), "names"}, path...)...)
	if pos := position(n); pos != nil {
		p.Line, p.Column = pos.Line, pos.Column
	}
	return p
}

// checkNames checks names as far as possible without the model: they must be valid in Go
// declarations and unique.
func (r *reader) checkNames(model ast.Node, i int, all map[string]Names) {
	at := func(path []string, format string, args ...any) {
		r.at(keyNode(model, append([]string{"names"}, path...)...), "%s: "+format, append([]any{namesKey(i, path)}, args...)...)
	}
	methods := map[string]string{}
	for _, sig := range slices.Sorted(maps.Keys(all)) {
		n := all[sig]
		if n.Method != "" {
			path := []string{sig, "method"}
			if err := goname.Check(n.Method); err != nil {
				at(path, "%v", err)
			} else if other, ok := methods[n.Method]; ok {
				at(path, "%s is already the method of signature %q", n.Method, other)
			}
			methods[n.Method] = sig
		}
		for kind, ports := range map[string]map[string]Port{"feeds": n.Feeds, "fetches": n.Fetches} {
			fields := map[string]string{}
			for _, name := range slices.Sorted(maps.Keys(ports)) {
				field := ports[name].Field
				if field == "" {
					continue
				}
				path := []string{sig, kind, name, "field"}
				if err := goname.Check(field); err != nil {
					at(path, "%v", err)
				} else if other, ok := fields[field]; ok {
					at(path, "%s is already the field of %q", field, other)
				}
				fields[field] = name
			}
		}
	}
}
