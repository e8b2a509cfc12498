package pipeline

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/goname"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Names are names of the caller's own for a signature. Those that are "" are made of the model's.
type Names struct {
	Name   string // of the signature
	Method string // of the Go type Model
	// Feeds and Fetches name those of the signature, by key or tensor.
	Feeds, Fetches map[string]PortNames
}

// PortNames are names of the caller's own for a feed or a fetch.
type PortNames struct {
	Key   string // by which it is found without types
	Field string // of the Go type
}

// NamesOf returns names that a package has in types of its own with the same fields.
func NamesOf[N ~struct {
	Name, Method   string
	Feeds, Fetches map[string]P
}, P ~struct{ Key, Field string }](all map[string]N) map[string]Names {
	ports := func(by map[string]P) map[string]PortNames {
		out := make(map[string]PortNames, len(by))
		for name, p := range by {
			out[name] = PortNames(p)
		}
		return out
	}
	out := make(map[string]Names, len(all))
	for sig, n := range all {
		s := struct {
			Name, Method   string
			Feeds, Fetches map[string]P
		}(n)
		out[sig] = Names{Name: s.Name, Method: s.Method, Feeds: ports(s.Feeds), Fetches: ports(s.Fetches)}
	}
	return out
}

// NameError says that a name of Options.Names is wrong. Path leads to it: the signature, feeds or fetches with the one that is
// meant, and then name, method, key or field, as far as it goes.
type NameError struct {
	Path []string
	Err  error
}

// Error implements error.
func (e *NameError) Error() string {
	return fmt.Sprintf("names of signature %q: %s", tensor.Clip(e.Path[0]), e.Text())
}

// Text says what is wrong, without the signature.
func (e *NameError) Text() string {
	text := tensor.Message(e.Err)
	if len(e.Path) > 2 {
		kind := map[string]string{"feeds": "feed", "fetches": "fetch"}[e.Path[1]]
		text = fmt.Sprintf("%s %q: %s", kind, tensor.Clip(e.Path[2]), text)
	}
	return text
}

// Unwrap returns what is wrong, with its code.
func (e *NameError) Unwrap() error { return e.Err }

// namer gives the requests the names of the caller's, and gathers what is wrong with these.
type namer struct{ errs []error }

func (n *namer) refuse(code tensor.Code, path []string, format string, args ...any) {
	n.errs = append(n.errs, &NameError{slices.Clone(path), tensor.Errorf(code, format, args...)})
}

// rename gives requests, which have the names of the model, those of the caller.
func rename(rs []request, m *frontend.Model, names map[string]Names) error {
	n := &namer{}
	for i := range rs {
		rs[i].declared = rs[i].name
		for _, ports := range [][]port{rs[i].feeds, rs[i].fetches} {
			for k := range ports {
				ports[k].declared = ports[k].key
			}
		}
	}
	for _, sig := range slices.Sorted(maps.Keys(names)) {
		i := slices.IndexFunc(rs, func(r request) bool { return r.declared == sig })
		if i < 0 {
			n.unknownSignature(rs, m, sig)
			continue
		}
		r, own := &rs[i], names[sig]
		r.optional = false // who names it wants it
		if own.Name != "" {
			r.name = own.Name
		}
		if r.method = own.Method; r.method != "" {
			n.goName([]string{sig, "method"}, r.method)
		}
		n.ports([]string{sig, "feeds"}, r.feeds, own.Feeds)
		n.ports([]string{sig, "fetches"}, r.fetches, own.Fetches)
	}
	for i, r := range rs {
		for _, q := range rs[:i] {
			if q.name != r.name || q.declared == r.declared {
				continue
			}
			other, at := q, r
			if names[r.declared].Name == "" {
				other, at = r, q
			}
			n.refuse(tensor.InvalidArgument, []string{at.declared, "name"}, "signature %q has the name %q, too", other.declared, r.name)
		}
	}
	return tensor.Join(n.errs...)
}

// unknownSignature complains of names for a signature that is not compiled.
func (n *namer) unknownSignature(rs []request, m *frontend.Model, sig string) {
	var have []string
	for _, r := range rs {
		have = append(have, r.declared)
	}
	for _, s := range slices.Concat(m.Signatures, m.OpSignatures) {
		if s.Name == sig {
			n.refuse(tensor.InvalidArgument, []string{sig}, "the signature is not compiled; those that are: %s", quoted(have))
			return
		}
	}
	n.refuse(tensor.NotFound, []string{sig}, "there is no such signature; there are: %s%s", quoted(have), near(sig, have))
}

// goName checks the name of a Go declaration.
func (n *namer) goName(path []string, name string) bool {
	if err := goname.Check(name); err != nil {
		n.refuse(tensor.InvalidArgument, path, "%v", err)
		return false
	}
	return true
}

// ports gives feeds or fetches their names.
func (n *namer) ports(path []string, ports []port, names map[string]PortNames) {
	given := map[int]string{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		at := append(slices.Clip(path), name)
		i := slices.IndexFunc(ports, func(p port) bool { return p.declared == name || tensorName(p.tensor) == tensorName(name) })
		if k := slices.IndexFunc(ports, func(p port) bool { return p.declared == name }); k >= 0 {
			i = k
		}
		if i < 0 {
			var have []string
			for _, p := range ports {
				have = append(have, p.declared)
			}
			n.refuse(tensor.NotFound, at, "the signature has no such one; it has: %s%s", quoted(have), near(name, have))
			continue
		}
		if other, ok := given[i]; ok {
			n.refuse(tensor.InvalidArgument, at, "%q is the same tensor, and is named already", other)
			continue
		}
		given[i] = name
		own := names[name]
		if own.Key != "" {
			ports[i].key = own.Key
		}
		if own.Field != "" && n.goName(append(at, "field"), own.Field) {
			ports[i].field = own.Field
		}
	}
	for _, i := range slices.Sorted(maps.Keys(given)) {
		n.unique(append(slices.Clip(path), given[i]), ports, i)
	}
}

// unique complains where feed or fetch i has a name of the caller's that another has, too: of two that are named alike, the
// later one.
func (n *namer) unique(path []string, ports []port, i int) {
	p := ports[i]
	if _, watched := ir.Watched(p.key); watched {
		n.refuse(tensor.InvalidArgument, append(slices.Clip(path), "key"), "%q begins with %q, which is reserved", p.key, ir.WatchKey)
	}
	for k, q := range ports {
		if k == i {
			continue
		}
		sameKey := q.key == p.key && (k < i || q.key == q.declared)
		if p.key != p.declared && (sameKey || q.tensor == p.key || tensorName(q.tensor) == p.key) {
			n.refuse(tensor.InvalidArgument, append(slices.Clip(path), "key"), "%q is the name of %q, too", p.key, q.declared)
		}
		if p.field != "" && p.field == q.field && k < i {
			n.refuse(tensor.InvalidArgument, append(slices.Clip(path), "field"), "%s is the field of %q, too", p.field, q.declared)
		}
	}
}

// near is a hint at an existing name that is like name.
func near(name string, have []string) string {
	if s := ir.Nearest(name, have); s != "" {
		return fmt.Sprintf("; did you mean %q?", s)
	}
	return ""
}

func quoted(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("%q", tensor.Clip(n)))
	}
	return strings.Join(out, ", ")
}

// goNames has a plan's Go declarations be named as the caller wants.
func (r *request) goNames(p *plan.Plan) {
	p.Method = r.method
	for i := range r.feeds {
		p.Feeds[i].Field = r.feeds[i].field
	}
	for i := range r.fetches { // what is watched comes after these
		p.Fetches[i].Field = r.fetches[i].field
	}
}
