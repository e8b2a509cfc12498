package rt

import "strings"

// Scope describes an abbreviation in the node names of Info.Steps. FullName restores the full names.
//
// If Short is "", Left is a prefix that nearly all node names of the model have, and that Steps
// leaves out. Only the first of Info.Scopes has this form. If a name does not have the prefix, Steps
// marks it by a slash at its beginning.
//
// Otherwise Short is the beginning of abbreviated names, and contains "…". To restore such a name,
// the part of Short from its last "…" on is replaced by Left.
type Scope struct {
	Short, Left string
}

// FullName returns the full name in the model of a node, given its name in Steps. The parameter may
// also have the form "first … last", which names the first and the last node of a step.
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
