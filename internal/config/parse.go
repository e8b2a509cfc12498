package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/graphc/graphc/internal/goop"
	"github.com/graphc/graphc/ir"
)

// maxSize is the maximum size of graphc.yaml in bytes. No file written by hand is nearly as large.
const maxSize = 1 << 20

// Parse parses and checks the text of a graphc.yaml. Error messages contain the base name of path.
func Parse(path string, data []byte) (*Config, error) {
	r := &reader{path: filepath.Base(path)}
	if len(data) > maxSize {
		return nil, Problems{{r.path, 1, 1, fmt.Sprintf("the file has %d bytes: the maximum is %d", len(data), maxSize)}}
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, Problems{r.syntax(err)}
	}
	var c Config
	switch {
	case len(file.Docs) > 1 && file.Docs[1].Body != nil:
		r.at(file.Docs[1].Body, "want a single document")
	case len(file.Docs) == 0 || file.Docs[0].Body == nil:
		r.problems = append(r.problems, Problem{r.path, 1, 1, `the file is empty; it must begin with: version: "1"`})
	default:
		r.value(file.Docs[0].Body, reflect.ValueOf(&c).Elem(), "")
		r.check(file.Docs[0].Body, &c)
	}
	if len(r.problems) > 0 {
		r.problems.Sort()
		return nil, r.problems
	}
	c.root = file.Docs[0].Body
	return &c, nil
}

// reader fills a Config from a syntax tree and collects problems.
type reader struct {
	path     string
	problems Problems
}

func (r *reader) syntax(err error) Problem {
	p := Problem{r.path, 1, 1, err.Error()}
	var e yaml.Error
	if errors.As(err, &e) {
		p.Msg = e.GetMessage()
		if t := e.GetToken(); t != nil && t.Position != nil {
			p.Line, p.Column = t.Position.Line, t.Position.Column
		}
	}
	return p
}

func (r *reader) at(n ast.Node, format string, args ...any) {
	p := Problem{Path: r.path, Line: 1, Column: 1, Msg: fmt.Sprintf(format, args...)}
	if pos := position(n); pos != nil {
		p.Line, p.Column = pos.Line, pos.Column
	}
	r.problems = append(r.problems, p)
}

// position returns the start of a node. The token of a mapping in block style is its first colon,
// so the start of such a mapping is that of its first key.
func position(n ast.Node) *token.Position {
	switch m := n.(type) {
	case *ast.MappingNode:
		if len(m.Values) > 0 && !m.IsFlowStyle {
			return position(m.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return position(m.Key)
	}
	if t := n.GetToken(); t != nil {
		return t.Position
	}
	return nil
}

// entries returns the key-value pairs of mapping n. The bool is false if n is not a mapping.
func entries(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}

// scalar returns the text of a string, a number or a bool. The second result is false for other
// nodes.
func scalar(n ast.Node) (string, bool) {
	switch s := n.(type) {
	case *ast.StringNode:
		return s.Value, true
	case *ast.LiteralNode:
		return s.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func fieldKey(f reflect.StructField) string {
	k, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return k
}

// value stores the value of node n in v. Error messages contain key, the path of keys that leads to
// n.
func (r *reader) value(n ast.Node, v reflect.Value, key string) {
	if _, null := n.(*ast.NullNode); null {
		return
	}
	if a, ok := n.(*ast.AliasNode); ok {
		r.at(a, "aliases are not supported: repeat the value")
		return
	}
	if a, ok := n.(*ast.AnchorNode); ok {
		n = a.Value
	}
	switch {
	case v.Type() == reflect.TypeFor[Paths]():
		if s, ok := scalar(n); ok {
			v.Set(reflect.ValueOf(Paths{s}))
			return
		}
	case v.Type() == reflect.TypeFor[Sizes]():
		r.sizes(n, v, key)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		r.object(n, v, key)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		r.value(n, v.Elem(), key)
	case reflect.Slice:
		s, ok := n.(*ast.SequenceNode)
		if !ok {
			r.at(n, "%s must be a list", key)
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), len(s.Values), len(s.Values)))
		for i, e := range s.Values {
			r.value(e, v.Index(i), fmt.Sprintf("%s[%d]", key, i))
		}
	case reflect.Map:
		es, ok := entries(n)
		if !ok {
			r.at(n, "%s must be a mapping", key)
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for _, e := range es {
			k, _ := scalar(e.Key)
			el := reflect.New(v.Type().Elem()).Elem()
			r.value(e.Value, el, key+"."+k)
			v.SetMapIndex(reflect.ValueOf(k), el)
		}
	case reflect.String:
		s, ok := scalar(n)
		if !ok {
			r.at(n, "%s must be text", key)
			return
		}
		v.SetString(s)
	case reflect.Bool:
		b, ok := n.(*ast.BoolNode)
		if !ok {
			r.at(n, "%s must be true or false", key)
			return
		}
		v.SetBool(b.Value)
	case reflect.Int:
		s, _ := scalar(n)
		i, err := strconv.Atoi(s)
		if err != nil || i < 0 {
			r.at(n, "%s must be a number, 0 or more", key)
			return
		}
		v.SetInt(int64(i))
	}
}

func (r *reader) object(n ast.Node, v reflect.Value, key string) {
	es, ok := entries(n)
	if s, text := scalar(n); text {
		if i := short(v.Type()); i >= 0 {
			v.Field(i).SetString(s)
			return
		}
	}
	if !ok {
		r.at(n, "%s must be a mapping", or(key, "the file"))
		return
	}
	fields := map[string]int{}
	var names []string
	for i := range v.NumField() {
		if k := fieldKey(v.Type().Field(i)); k != "-" {
			fields[k] = i
			names = append(names, k)
		}
	}
	seen := map[string]bool{}
	for _, e := range es {
		k, _ := scalar(e.Key)
		i, ok := fields[k]
		switch {
		case !ok:
			hint := ""
			if s := ir.Nearest(k, names); s != "" {
				hint = fmt.Sprintf("; did you mean %q?", s)
			}
			r.at(e.Key, "unknown key %q%s", k, hint)
			continue
		case seen[k]:
			r.at(e.Key, "duplicate key %q", k)
			continue
		}
		seen[k] = true
		r.value(e.Value, v.Field(i), join(key, k))
		if enum := v.Type().Field(i).Tag.Get("enum"); enum != "" {
			if s := v.Field(i).String(); s != "" && !slices.Contains(strings.Split(enum, ","), s) {
				r.at(e.Value, "%s is %q, not one of %s", join(key, k), s, strings.ReplaceAll(enum, ",", ", "))
			}
		}
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Tag.Get("required") == "true" && !seen[fieldKey(f)] {
			r.at(n, "%s is missing", join(key, fieldKey(f)))
		}
	}
}

func (r *reader) sizes(n ast.Node, v reflect.Value, key string) {
	if s, ok := scalar(n); ok {
		v.SetString(s)
		return
	}
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		r.at(n, "%s must be text such as \"1,224,?,3\" or a list of sizes", key)
		return
	}
	var parts []string
	for _, e := range s.Values {
		t, ok := scalar(e)
		if !ok {
			r.at(e, "a size in %s must be a number, ? or a name", key)
		}
		parts = append(parts, t)
	}
	v.SetString(strings.Join(parts, ","))
}

// check checks the rules that do not follow from the Go type of a single value. For example, a list
// of models must not be empty.
func (r *reader) check(root ast.Node, c *Config) {
	es, ok := entries(root)
	if !ok {
		return
	}
	if len(c.Ops) == 0 && !slices.ContainsFunc(es, func(e *ast.MappingValueNode) bool { k, _ := scalar(e.Key); return k == "models" }) {
		r.at(root, "models is missing")
	}
	for _, e := range es {
		switch k, _ := scalar(e.Key); k {
		case "ops":
			if s, ok := e.Value.(*ast.SequenceNode); ok {
				r.checkOps(s, c.Ops)
			}
		case "version":
			if c.Version != "" && c.Version != Version {
				r.at(e.Value, "version %q is not supported: want %q", c.Version, Version)
			}
		case "models":
			if s, ok := e.Value.(*ast.SequenceNode); ok {
				if len(s.Values) == 0 {
					r.at(e.Key, "models is empty")
				}
				r.checkModels(s, c)
			}
		}
	}
}

func (r *reader) checkOps(s *ast.SequenceNode, list []Op) {
	names := map[string]bool{}
	for i, o := range list {
		if o.Op == "" || o.Func == "" {
			continue // reported already
		}
		if _, err := goop.New("", []goop.Spec{goop.Spec(o)}); err != nil {
			r.at(s.Values[i], "ops[%d]: %v", i, err)
		}
		if names[o.Op] {
			r.at(s.Values[i], "ops[%d]: duplicate op %q", i, o.Op)
		}
		names[o.Op] = true
	}
}

func (r *reader) checkModels(s *ast.SequenceNode, c *Config) {
	outs := map[string]int{}
	for i, m := range c.Models {
		n := s.Values[i]
		if j, ok := outs[filepath.Clean(m.Out)]; ok {
			r.at(n, "models[%d] and models[%d] have the same folder %q", j, i, or(m.Out, "."))
		}
		outs[filepath.Clean(m.Out)] = i
		if c.RuntimeDir != "" && filepath.Clean(m.Out) == filepath.Clean(c.RuntimeDir) {
			r.at(n, "models[%d] has the folder %q, which is runtime_dir", i, or(m.Out, "."))
		}
		own := len(m.Feeds)+len(m.Fetches)+len(m.Targets) > 0
		if own && len(m.Signatures) > 0 {
			r.at(n, "models[%d]: signatures and feeds, fetches or targets exclude each other", i)
		}
		if len(m.Calls) > 0 && (own || len(m.Signatures) > 0) {
			r.at(n, "models[%d]: calls and signatures, feeds, fetches or targets exclude each other", i)
		}
		r.checkNames(n, i, m.Names)
		names := map[string]bool{}
		for j, c := range m.Calls {
			if c.Name != "" && names[c.Name] {
				r.at(n, "models[%d]: duplicate call %q", i, c.Name)
			}
			names[c.Name] = true
			if len(c.Fetches)+len(c.Targets) == 0 {
				r.at(n, "models[%d].calls[%d]: fetches or targets are required", i, j)
			}
		}
		if own && len(m.Fetches)+len(m.Targets) == 0 {
			r.at(n, "models[%d]: feeds are given, but neither fetches nor targets", i)
		}
	}
}

func join(key, k string) string {
	if key == "" {
		return k
	}
	return key + "." + k
}

func or(s, t string) string {
	if s == "" {
		return t
	}
	return s
}
