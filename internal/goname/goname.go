// Package goname checks names that users choose for Go declarations.
package goname

import (
	"fmt"
	"go/token"
	"unicode"
	"unicode/utf8"
)

// Check returns an error unless s can be the name of an exported method or field. The error
// describes valid names.
func Check(s string) error {
	if token.IsIdentifier(s) && token.IsExported(s) {
		return nil
	}
	err := fmt.Errorf("%q is not an exported Go name: a capital letter, then letters, digits and underscores", s)
	r, n := utf8.DecodeRuneInString(s)
	if t := string(unicode.ToUpper(r)) + s[n:]; s != "" && token.IsIdentifier(t) && token.IsExported(t) {
		return fmt.Errorf("%w; did you mean %q?", err, t)
	}
	return err
}
