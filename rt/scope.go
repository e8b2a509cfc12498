package rt

import "strings"

// Scope describes one abbreviation in the node names of Info.Steps. FullName restores the full names.
// A Scope has one of two forms.
//
// If Short is "", Left is a prefix of nearly all node names of the model. The names in Steps lack
// this prefix. If the full name of a node does not begin with the prefix, its name in Steps begins
// with a slash. Only the first element of Info.Scopes can have this form.
//
// If Short is not "", it is the beginning of abbreviated names, and contains "…". To restore such a
// name, replace the last "…" of Short, and everything in Short after it, by Left.
type Scope struct {
	Short, Left string
}

// FullName returns the full name of a node in the model. The parameter is the node's name in Steps.
// It may also have the form "first … last", which names the first and the last node of a step; the
// result then has the same form.
func (i *Info) FullName(name string) string {
	const between = " … "
	if first, last, ok := strings.Cut(name, between); ok {
		return fullName(i.Scopes, first) + between + fullName(i.Scopes, last)
	}
	return fullName(i.Scopes, name)
}

func fullName(scopes []Scope, name string) string {
	const left = "…"
	for range strings.Count(name, left) { // each iteration restores one abbreviation, the last one first
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
