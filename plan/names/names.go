// Package names chooses short names for nodes. Emitted code, errors and reports show these names.
// The package also makes Go identifiers from names.
package names

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/graphc/graphc/rt"
)

// Names holds the short names of a signature's nodes. Short names omit three kinds of scopes: the
// scope that nearly all nodes share, scopes within names that add no information (replaced by …),
// and the beginning of names that are still long (replaced by … and a hash). After the omitted
// scopes, a short name continues like the full name. Searching a graph viewer for this last part
// therefore finds the node.
//
// A short name depends only on the full name and on the shared scope. Adding or removing other
// nodes does not change it. A nil *Names leaves names unchanged.
type Names struct {
	scope string // the shared scope, with a trailing slash
	// left maps the beginning of a short name, up to and including a …, to the scope that this …
	// replaces.
	left   map[string]string
	scopes []rt.Scope
}

// leftOut replaces omitted scopes within a short name; see rt.Scope.
const leftOut = "…"

// Range separates the names of the first and the last of several nodes.
const Range = " … "

// shared is the number of nodes, out of ten, that must be in a scope if short names are to omit the
// scope.
const shared = 9

// fewest is the number of nodes that a scope must contain if it is to be omitted, unless the scope
// belongs to a function call. Few nodes may share a scope by chance.
const fewest = 4

// leastRepeated is the minimum number of characters that repeated scopes must have to be omitted.
const leastRepeated = 12

// Names of more than `most` characters lose their beginning. They keep as many of the last parts as
// fit into `tail` characters.
const (
	most = 80
	tail = 60
)

// manyParts is the number of parts above which a name is not analysed. Real names have about ten
// parts, so such a name is hostile.
const manyParts = 64

// Of chooses short names for the given nodes. The order of the nodes does not matter, and a node
// may occur more than once.
func Of(nodes []string) *Names {
	nodes = slices.Clone(nodes)
	slices.Sort(nodes)
	nodes = slices.DeleteFunc(slices.Compact(nodes), func(s string) bool { return s == "" })
	for _, s := range nodes {
		if strings.HasPrefix(s, "/") || strings.Contains(s, leftOut) {
			return nil // s looks like a short name, so a short name could be mistaken for s; TensorFlow has no such names
		}
	}
	n := &Names{scope: sharedScope(nodes), left: map[string]string{}}
	unclear := map[string]bool{} // shortened scopes that stand for several different scopes
	for _, s := range nodes {
		var leave []rt.Scope
		name := n.shorten(s, func(short, left string) bool {
			leave = append(leave, rt.Scope{Short: short, Left: left})
			return true
		})
		if tooLong(name) {
			leave = nil
			if short, left := n.beginning(s); left != "" {
				leave = []rt.Scope{{Short: short, Left: left}}
			}
		}
		for _, l := range leave {
			if left, ok := n.left[l.Short]; ok && left != l.Left {
				unclear[l.Short] = true
			}
			n.left[l.Short] = l.Left
		}
	}
	for short := range unclear {
		delete(n.left, short)
	}
	if n.scope != "" {
		n.scopes = append(n.scopes, rt.Scope{Left: n.scope})
	}
	for _, short := range slices.Sorted(maps.Keys(n.left)) {
		n.scopes = append(n.scopes, rt.Scope{Short: short, Left: n.left[short]})
	}
	if len(n.scopes) == 0 {
		return nil
	}
	return n
}

// sharedScope returns the innermost scope that nearly all nodes are in, with a trailing slash, or
// "".
func sharedScope(nodes []string) string {
	scope := ""
	for range manyParts {
		in := map[string]int{}
		best := ""
		for _, n := range nodes {
			rest, ok := strings.CutPrefix(n, scope)
			if !ok {
				continue
			}
			if part, _, ok := strings.Cut(rest, "/"); ok && part != "" {
				if in[part]++; in[part]*10 >= shared*len(nodes) && (isCall(part) || in[part] >= fewest) {
					best = part
				}
			}
		}
		if best == "" {
			break
		}
		scope += best + "/"
	}
	return scope
}

// shorten omits scopes of a node's name. For each scope that could be omitted, it calls the
// function leave, and omits the scope if the function returns true. The first argument of the
// function is the short name up to and including this scope, with … in place of the scope. The
// second argument is the scope.
func (n *Names) shorten(node string, leave func(short, left string) bool) string {
	if slash, within := n.within(node); slash != "" {
		return slash + within
	}
	var b strings.Builder
	parts := strings.Split(node, "/")
	last := len(parts) - 1 // the last part is never omitted
	if len(parts) > manyParts {
		_, name := n.within(node)
		return name
	}
	for i := strings.Count(n.scope, "/"); i < last; {
		count, mark := calls(parts[i:last]), leftOut
		if count > 0 {
			mark += numbers(parts[i : i+count])
		} else {
			count = repeated(parts, i)
		}
		if count > 0 {
			if left := strings.Join(parts[i:i+count], "/") + "/"; leave(b.String()+mark+"/", left) {
				b.WriteString(mark + "/")
				i += count
				continue
			}
		}
		b.WriteString(parts[i] + "/")
		i++
	}
	b.WriteString(parts[last])
	return b.String()
}

// within returns a node's name without the shared scope. For a node outside that scope, it returns
// a slash and the full name.
func (n *Names) within(node string) (slash, name string) {
	if n.scope == "" {
		return "", node
	}
	if rest, ok := strings.CutPrefix(node, n.scope); ok && rest != "" {
		return "", rest
	}
	return "/", node
}

func tooLong(name string) bool { return utf8.RuneCountInString(name) > most }

// The method beginning returns the part that is omitted from the beginning of a long name, and a
// short text that replaces this part. The omitted part is "" if the name without the shared scope
// has only one part.
func (n *Names) beginning(node string) (short, left string) {
	slash, within := n.within(node)
	at := strings.LastIndexByte(within, '/') + 1
	for at > 0 {
		i := strings.LastIndexByte(within[:at-1], '/') + 1
		if utf8.RuneCountInString(within[i:]) > tail {
			break
		}
		at = i
	}
	return mark(slash, within[:at]), within[:at]
}

// mark returns the text that replaces the omitted beginning of a name: … and a hash of that
// beginning.
func mark(slash, left string) string { return slash + leftOut + hash(left) + "/" }

// The function named calls returns the number of leading parts that name calls of functions. Such
// parts are recognized by the names that TensorFlow gives to calls.
func calls(parts []string) int {
	n := 0
	for n < len(parts) && isCall(parts[n]) {
		n++
	}
	return n
}

func isCall(part string) bool {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(part, "Stateful"), "PartitionedCall")
	return ok && (rest == "" || rest[0] == '_' && strings.Trim(rest[1:], "0123456789") == "")
}

// The function named numbers returns one string with all numbers in the names of the given function
// calls. The numbers distinguish several calls in one scope.
func numbers(calls []string) string {
	text := ""
	for _, c := range calls {
		if _, n, ok := strings.Cut(c, "_"); ok {
			text += n
		}
	}
	return text
}

// repeated returns the number of parts, from part i on, that only repeat the parts before them. For
// example, the nodes of a loop's body have the loop's scope in their names twice:
// a/while/body/a/while/x. Up to two parts may be between the two occurrences. The result is 0 if
// the repeated parts are too short to omit.
func repeated(parts []string, i int) int {
	for between := range 3 {
		end := i - between
		for n := min(end, len(parts)-1-i); n > 0; n-- {
			if slices.Equal(parts[end-n:end], parts[i:i+n]) && len(strings.Join(parts[i:i+n], "/")) >= leastRepeated {
				return n
			}
		}
	}
	return 0
}

// Scopes returns the omitted scopes, in the form in which emitted code passes them to hooks.
func (n *Names) Scopes() []rt.Scope {
	if n == nil {
		return nil
	}
	return n.scopes
}

// Scope returns the scope that nearly all nodes are in, with a trailing slash, or "".
func (n *Names) Scope() string {
	if n == nil {
		return ""
	}
	return n.scope
}

// Inner reports whether scopes within names are omitted.
func (n *Names) Inner() bool { return n != nil && len(n.left) > 0 }

// Short returns the short name of a node, or of a tensor or buffer whose name begins with a node's
// name. For a range of nodes (see Range), it returns a range of short names.
func (n *Names) Short(node string) string {
	if n == nil || node == "" {
		return node
	}
	if first, last, ok := strings.Cut(node, Range); ok {
		return n.Short(first) + Range + n.Short(last)
	}
	name := n.shorten(node, func(short, left string) bool { return n.left[short] == left })
	if !tooLong(name) {
		return name
	}
	slash, within := n.within(node)
	if short, left := n.beginning(node); left != "" && n.left[short] == left {
		return short + within[len(left):]
	}
	at := len(within)
	for range 8 { // the name may have a suffix with slashes after the node's name
		if at = strings.LastIndexByte(within[:at], '/'); at < 0 {
			break
		}
		if short, left := mark(slash, within[:at+1]), within[:at+1]; n.left[short] == left {
			return short + within[at+1:]
		}
	}
	return name
}

// Full returns the full name of the node that has the given short name.
func (n *Names) Full(short string) string { return (&rt.Info{Scopes: n.Scopes()}).FullName(short) }

// Resolve returns the full names of the nodes to which the parameter name may refer. It may be a
// full name or a short name.
func (n *Names) Resolve(name string, exists func(string) bool) []string {
	var all []string
	for _, s := range []string{name, n.Full(name)} {
		if exists(s) && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
