package opnames

import "strings"

const module = "github.com/graphc/graphc/"

// reason says why a declaration may list ops; "" where nothing does.
func reason(pkg, name string) string {
	return allowed[strings.TrimPrefix(pkg, module)+"."+name]
}

// allowed says of declarations that list ops why they may.
var allowed = map[string]string{}
