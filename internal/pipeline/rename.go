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

// Names are the caller's names for a signature. Names that are empty are derived from the model's
// names.
type Names struct {
	Name   string // of the signature
	Method string // name of the Go method of type Model that runs the signature
	// Feeds and Fetches have the names for feeds and fetches, by the model's key or by tensor name.
	Feeds, Fetches map[string]PortNames
}

// PortNames are the caller's names for a feed or a fetch.
type PortNames struct {
	Key   string // name in maps from names to tensors
	Field string // name of the field in the Go type for the signature's inputs or outputs
}

// NamesOf converts names to the type Names. The type N of the given names is declared in another
// package, and has the same fields as Names.
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

// NameError is the error for a name in Options.Names. Path has the keys that lead to the name, for
// example {"predict", "method"} for the method of a signature, and {"predict", "feeds", "x", "key"}
// for the key of a feed. Path is {"predict"} if the model has no such signature, and {"predict",
// "feeds", "x"} if the signature has no such feed.
type NameError struct {
	Path []string
	Err  error
}

// Error implements error.
func (e *NameError) Error() string {
	return fmt.Sprintf("names of signature %q: %s", tensor.Clip(e.Path[0]), e.Text())
}

// Text returns the message without the signature.
func (e *NameError) Text() string {
	text := tensor.Message(e.Err)
	if len(e.Path) > 2 {
		kind := map[string]string{"feeds": "feed", "fetches": "fetch"}[e.Path[1]]
		text = fmt.Sprintf("%s %q: %s", kind, tensor.Clip(e.Path[2]), text)
	}
	return text
}

// Unwrap returns the error that describes what is wrong with the name. This error has a code.
func (e *NameError) Unwrap() error { return e.Err }

// namer sets the caller's names in requests and collects errors.
type namer struct{ errs []error }

func (n *namer) refuse(code tensor.Code, path []string, format string, args ...any) {
	n.errs = append(n.errs, &NameError{slices.Clone(path), tensor.Errorf(code, format, args...)})
}

// rename replaces the model's names in requests by those of the caller.
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
		r.optional = false // share must not remove a signature for which the caller gives names
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
			n.refuse(tensor.InvalidArgument, []string{at.declared, "name"}, "signature %q has the name %q already", other.declared, r.name)
		}
	}
	return tensor.Join(n.errs...)
}

// unknownSignature records the error for names of a signature that is not compiled.
func (n *namer) unknownSignature(rs []request, m *frontend.Model, sig string) {
	var have []string
	for _, r := range rs {
		have = append(have, r.declared)
	}
	for _, s := range slices.Concat(m.Signatures, m.OpSignatures) {
		if s.Name == sig {
			n.refuse(tensor.InvalidArgument, []string{sig}, "the signature is not compiled; compiled are: %s", quoted(have))
			return
		}
	}
	n.refuse(tensor.NotFound, []string{sig}, "unknown signature; the model has: %s%s", quoted(have), near(sig, have))
}

// goName reports whether name is valid for a Go declaration, and records an error if not.
func (n *namer) goName(path []string, name string) bool {
	if err := goname.Check(name); err != nil {
		n.refuse(tensor.InvalidArgument, path, "%v", err)
		return false
	}
	return true
}

// ports sets the names of feeds or fetches.
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
			n.refuse(tensor.NotFound, at, "not found in the signature, which has: %s%s", quoted(have), near(name, have))
			continue
		}
		if other, ok := given[i]; ok {
			n.refuse(tensor.InvalidArgument, at, "%q is the same tensor and has a name already", other)
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

// unique checks the caller's names for ports[i]. It records an error if another feed or fetch has
// the same key or field already, or if the key begins with a reserved prefix.
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
			n.refuse(tensor.InvalidArgument, append(slices.Clip(path), "key"), "%q is already the name of %q", p.key, q.declared)
		}
		if p.field != "" && p.field == q.field && k < i {
			n.refuse(tensor.InvalidArgument, append(slices.Clip(path), "field"), "%s is already the field of %q", p.field, q.declared)
		}
	}
}

// near returns a hint for an error message: the string that is most similar to name among those in
// the second argument. It returns "" if no string is similar.
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

// goNames stores in plan p the caller's names for the method of the signature and for the fields of
// its feeds and fetches.
func (r *request) goNames(p *plan.Plan) {
	p.Method = r.method
	for i := range r.feeds {
		p.Feeds[i].Field = r.feeds[i].field
	}
	for i := range r.fetches { // p.Fetches also has the watched tensors, after the request's fetches
		p.Fetches[i].Field = r.fetches[i].field
	}
}
