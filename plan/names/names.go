// Package names gives the nodes of a signature the short names that emitted code, errors and reports
// have, and makes Go identifiers of names.
package names

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/graphc/graphc/rt"
)

// Names are the short names of a signature's nodes. They leave out scopes: the one that nearly all nodes are in; within
// names those that say nothing new, for which … stands; and the beginning of names that are long all the same, for which
// … stands with a hash. A short name is a node's own name otherwise, so that a search for it in a viewer of graphs finds the node.
// A short name depends on the full name alone, and on the scope that nodes share: adding or removing other nodes changes
// nothing. A nil *Names leaves names as they are.
type Names struct {
	scope  string            // that nearly all nodes are in, with the slash behind it
	left   map[string]string // what the last … of the beginning of a name stands for
	scopes []rt.Scope
}

// leftOut stands for scopes within a name, as rt.Scope has it.
const leftOut = "…"

// Range stands between the names of the first and the last of several nodes.
const Range = " … "

// shared is how many of ten nodes are in the scope that short names leave out.
const shared = 9

// fewest is how many nodes a scope must have to be left out, if it is no call: few nodes have a scope in common by chance.
const fewest = 4

// leastRepeated is the length of the scopes that are left out because they are there twice.
const leastRepeated = 12

// Names of more than most characters lose their beginning, but for as many of the last parts as tail characters take.
const (
	most = 80
	tail = 60
)

// manyParts is how many parts a name has within which nothing is looked for: a hostile one, since real ones have about ten.
const manyParts = 64

// Of chooses the short names of these nodes, which may be given in any order and more than once.
func Of(nodes []string) *Names {
	nodes = slices.Clone(nodes)
	slices.Sort(nodes)
	nodes = slices.DeleteFunc(slices.Compact(nodes), func(s string) bool { return s == "" })
	for _, s := range nodes {
		if strings.HasPrefix(s, "/") || strings.Contains(s, leftOut) {
			return nil // TensorFlow has no such names: what is short for others could be mistaken for one
		}
	}
	n := &Names{scope: sharedScope(nodes), left: map[string]string{}}
	unclear := map[string]bool{} // beginnings that would stand for several
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

// sharedScope is the innermost scope that nearly all nodes are in, with the slash behind it; "" for none.
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

// shorten leaves out the scopes of a node's name. It asks leave of each within the name: short is the name up to it, with …
// for the scope, and left the scope.
func (n *Names) shorten(node string, leave func(short, left string) bool) string {
	if slash, within := n.within(node); slash != "" {
		return slash + within
	}
	var b strings.Builder
	parts := strings.Split(node, "/")
	last := len(parts) - 1 // which stays
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

// within is a node's name without the scope that nodes share, or the whole name and a slash.
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

// beginning is the beginning of a long name, and what stands for it; "" where it has no parts.
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

// mark stands for the beginning of a name.
func mark(slash, left string) string { return slash + leftOut + hash(left) + "/" }

// calls counts the parts that are calls of functions under the names that TensorFlow gives them, from the first on.
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

// numbers are those of calls, which tell several in one scope apart.
func numbers(calls []string) string {
	text := ""
	for _, c := range calls {
		if _, n, ok := strings.Cut(c, "_"); ok {
			text += n
		}
	}
	return text
}

// repeated counts the parts from part i on that repeat those before them, as the nodes of a loop's body have the
// loop's own scope in their names: a/while/body/a/while/x. Up to two parts lie between. It is 0 for parts that are not
// worth leaving out.
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

// Scopes are the scopes that short names leave out, as emitted code tells hooks of them.
func (n *Names) Scopes() []rt.Scope {
	if n == nil {
		return nil
	}
	return n.scopes
}

// Scope is the scope that nearly all nodes are in, with the slash behind it; "" for none.
func (n *Names) Scope() string {
	if n == nil {
		return ""
	}
	return n.scope
}

// Inner reports whether scopes are left out within names.
func (n *Names) Inner() bool { return n != nil && len(n.left) > 0 }

// Short is the short name of a node, or of what has a node's name and something behind it: a tensor, or a buffer. Where
// node names the first and the last of several nodes, so does what it returns.
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
	for range 8 { // what is behind the name of a node may have parts of its own
		if at = strings.LastIndexByte(within[:at], '/'); at < 0 {
			break
		}
		if short, left := mark(slash, within[:at+1]), within[:at+1]; n.left[short] == left {
			return short + within[at+1:]
		}
	}
	return name
}

// Full is the name of a node that has a short name.
func (n *Names) Full(short string) string { return (&rt.Info{Scopes: n.Scopes()}).FullName(short) }

// Resolve returns the names of the nodes that one who writes name can mean, by its own name or by its short one.
func (n *Names) Resolve(name string, exists func(string) bool) []string {
	var all []string
	for _, s := range []string{name, n.Full(name)} {
		if exists(s) && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
