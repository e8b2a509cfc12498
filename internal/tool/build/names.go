package build

import (
	"go/token"
	"strings"
)

// packageNameOf derives the name of a Go package from the name of a folder. The package's name
// consists of lower-case letters and digits.
func packageNameOf(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, s)
	const most = 60 // file names begin with the package's name, so it must not be long
	s = s[:min(len(s), most)]
	if s == "" || s[0] <= '9' || token.IsKeyword(s) || s == "main" {
		return "model" + s
	}
	return s
}
