package names

import (
	"fmt"
	"go/token"
	"path"
	"slices"
	"strings"
)

// Size describes a size that needs a name.
type Size struct {
	Symbol string
	Of     string // short name of the node that determines the size, name of the feed, or name that the caller gave the size
	Suffix string // text such as Dim0 that distinguishes several sizes of one node or feed
	Found  bool   // whether a node determines the size
}

// maxSize is the largest number of characters of a size's name without suffix.
const maxSize = 28

// Sizes chooses a name for each of the given sizes. The names become fields of structs. A name comes
// from a feed and its dimension, from the caller, or from the node that determines the size. If
// several sizes would get the same name, their names get more words of the feed's or node's name. If
// the names are still the same, a hash is added to them. Therefore the names do not depend on the
// order of the sizes.
func Sizes(all []Size) map[string]string {
	named, taken := map[string]string{}, map[string]bool{}
	for _, name := range []func(*Size) string{(*Size).name, (*Size).whole, (*Size).hashed} {
		symbols := map[string][]string{}
		for i := range all {
			s := &all[i]
			if n := name(s); named[s.Symbol] == "" && !slices.Contains(symbols[n], s.Symbol) {
				symbols[n] = append(symbols[n], s.Symbol)
			}
		}
		for n, of := range symbols {
			if len(of) == 1 && !taken[n] {
				named[of[0]] = n
			}
		}
		for _, n := range named {
			taken[n] = true
		}
	}
	for i := range all { // sizes with equal hashes
		s := &all[i]
		for k := 2; named[s.Symbol] == ""; k++ {
			if n := fmt.Sprintf("%s%d", s.hashed(), k); !taken[n] {
				named[s.Symbol], taken[n] = n, true
			}
		}
	}
	return named
}

// The method name returns the preferred name of a size. It is used if no other size has the same
// preferred name.
func (s *Size) name() string {
	if s.Found {
		return sizeIdent(LastWords(s.Of, maxSize)) + s.Suffix
	}
	base := path.Base(s.Of)
	if token.IsIdentifier(base) && !strings.Contains(base, "_") && len(base) <= maxSize {
		return base + s.Suffix
	}
	return Cut(sizeIdent(Words(base)), s.Of, maxSize) + s.Suffix
}

// whole returns a name with all words of s.Of.
func (s *Size) whole() string { return Cut(sizeIdent(Words(s.Of)), s.Of, maxSize) + s.Suffix }

// hashed returns a name that is very probably unique.
func (s *Size) hashed() string {
	h := hash(s.Symbol)
	words := []rune(sizeIdent(LastWords(s.Of, maxSize)))
	return string(words[:min(len(words), maxSize-len(h))]) + h + s.Suffix
}

// sizeIdent converts words to the identifier of an unexported field.
func sizeIdent(words string) string {
	s := Unexported(words)
	switch {
	case s == "":
		return "size"
	case token.IsKeyword(s):
		return s + "Size"
	case !token.IsIdentifier(s): // s begins with a digit
		return "x" + s
	}
	return s
}
