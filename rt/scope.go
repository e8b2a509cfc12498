package rt

import "strings"

// Scope is a scope that names of nodes leave out. With Short "" it is the one that nearly all nodes are in, which stands
// first: Left belongs in front of a name, but for one with a slash in front, which is not in it. Else Short is the
// beginning of names, and Left is what its last … stands for, with what is behind it there.
type Scope struct {
	Short, Left string
}

// FullName is the name in the model of a node of Steps, or of the first and the last of several nodes.
func (i *Info) FullName(name string) string {
	const between = " … "
	if first, last, ok := strings.Cut(name, between); ok {
		return fullName(i.Scopes, first) + between + fullName(i.Scopes, last)
	}
	return fullName(i.Scopes, name)
}

func fullName(scopes []Scope, name string) string {
	const left = "…"
	for range strings.Count(name, left) { // the last first: a name that leaves out several has a Scope for each
		var s Scope
		for _, x := range scopes {
			if len(x.Short) > len(s.Short) && strings.HasPrefix(name, x.Short) {
				s = x
			}
		}
		if i := strings.LastIndex(s.Short, left); i >= 0 {
			name = s.Short[:i] + s.Left + name[len(s.Short):]
		}
	}
	if len(scopes) == 0 || scopes[0].Short != "" || name == "" {
		return name
	}
	if whole, ok := strings.CutPrefix(name, "/"); ok {
		return whole
	}
	return scopes[0].Left + name
}
