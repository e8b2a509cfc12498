package names

import (
	"fmt"
	"go/token"
	"path"
	"slices"
	"strings"
)

// Size is a size that is to get a name.
type Size struct {
	Symbol string
	Of     string // the short name of the node that finds it, the feed, or the name that the caller has given it
	Suffix string // what tells several of one node or feed apart: Dim0
	Found  bool   // a node finds it
}

// maxSize bounds the characters of a size's name without suffix.
const maxSize = 28

// Sizes names sizes, which become fields of structs: after a feed and its dimension, as the caller has named them, and after the
// nodes that find them. Sizes that would have one name have more of the feed's or the node's, and a hash where that is not
// enough, so that the order of sizes makes no difference.
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
	for i := range all { // two of one hash
		s := &all[i]
		for k := 2; named[s.Symbol] == ""; k++ {
			if n := fmt.Sprintf("%s%d", s.hashed(), k); !taken[n] {
				named[s.Symbol], taken[n] = n, true
			}
		}
	}
	return named
}

// name is the name of a size where no other has it.
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

// whole is a name with all words.
func (s *Size) whole() string { return Cut(sizeIdent(Words(s.Of)), s.Of, maxSize) + s.Suffix }

// hashed is a name that hardly another size has.
func (s *Size) hashed() string {
	h := hash(s.Symbol)
	words := []rune(sizeIdent(LastWords(s.Of, maxSize)))
	return string(words[:min(len(words), maxSize-len(h))]) + h + s.Suffix
}

// sizeIdent makes words the identifier of a field that is not exported.
func sizeIdent(words string) string {
	s := Unexported(words)
	switch {
	case s == "":
		return "size"
	case token.IsKeyword(s):
		return s + "Size"
	case !token.IsIdentifier(s): // it begins with a digit
		return "x" + s
	}
	return s
}
