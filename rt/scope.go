package rt

import "strings"

// Scope is a prefix that node names in Steps leave out.
//
// If Short is "", the scope is one that contains nearly all nodes; it is the first of Info.Scopes.
// Left is then put before a name, unless the name begins with a slash, which marks a name outside
// the scope.
//
// Otherwise Short is the beginning of a name and contains "…". Left replaces the last "…" of Short
// and the rest of Short.
type Scope struct {
	Short, Left string
}

// FullName returns the name in the model of a node of Steps. It also accepts "first … last" for
// several nodes.
func (i *Info) FullName(name string) string {
	const between = " … "
	if first, last, ok := strings.Cut(name, between); ok {
		return fullName(i.Scopes, first) + between + fullName(i.Scopes, last)
	}
	return fullName(i.Scopes, name)
}

func fullName(scopes []Scope, name string) string {
	const left = "…"
	for range strings.Count(name, left) { // one turn for each abbreviation, beginning with the last
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
