package strs

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// compiled caches the patterns that are attributes of ops. A program has few of them, so none is
// ever removed.
var compiled sync.Map

// pattern compiles RE2 syntax, which Go's regexp uses too.
func pattern(p string) (*regexp.Regexp, error) {
	r, err := regexp.Compile(p)
	if err != nil {
		return nil, tensor.Errorf(tensor.InvalidArgument, "invalid pattern: %s, error: %v", p, err)
	}
	return r, nil
}

func static(p string) (*regexp.Regexp, error) {
	if r, ok := compiled.Load(p); ok {
		return r.(*regexp.Regexp), nil
	}
	r, err := pattern(p)
	if err == nil {
		compiled.Store(p, r)
	}
	return r, err
}

// strict caches the variants that forText makes, under the text of the original pattern.
var strict sync.Map

// forText returns a pattern that matches the text s as RE2 does. That is r itself if s is valid
// UTF-8, and otherwise a variant of r. In RE2 nothing matches a byte that is not part of a valid
// character, whereas Go reads such a byte as U+FFFD.
func forText(r *regexp.Regexp, s string) *regexp.Regexp {
	if utf8.ValidString(s) {
		return r
	}
	if w, ok := strict.Load(r.String()); ok {
		return w.(*regexp.Regexp)
	}
	w := r
	if t, err := syntax.Parse(r.String(), syntax.Perl); err == nil {
		whole(t)
		if c, err := regexp.Compile(t.String()); err == nil {
			w = c
		}
	}
	strict.Store(r.String(), w)
	return w
}

// whole removes U+FFFD from the characters that t matches.
func whole(t *syntax.Regexp) {
	const bad = utf8.RuneError
	switch t.Op {
	case syntax.OpAnyChar:
		t.Op, t.Rune = syntax.OpCharClass, []rune{0, bad - 1, bad + 1, utf8.MaxRune}
	case syntax.OpAnyCharNotNL:
		t.Op, t.Rune = syntax.OpCharClass, []rune{0, '\n' - 1, '\n' + 1, bad - 1, bad + 1, utf8.MaxRune}
	case syntax.OpCharClass:
		var c []rune
		for i := 0; i+1 < len(t.Rune); i += 2 {
			lo, hi := t.Rune[i], t.Rune[i+1]
			if hi < bad || lo > bad {
				c = append(c, lo, hi)
				continue
			}
			if lo < bad {
				c = append(c, lo, bad-1)
			}
			if hi > bad {
				c = append(c, bad+1, hi)
			}
		}
		if t.Rune = c; len(c) == 0 {
			t.Op = syntax.OpNoMatch
		}
	case syntax.OpLiteral:
		if strings.ContainsRune(string(t.Rune), bad) {
			t.Op, t.Rune = syntax.OpNoMatch, nil
		}
	}
	for _, sub := range t.Sub {
		whole(sub)
	}
}

// CheckPattern returns an error unless p is a valid pattern.
func CheckPattern(p string) error { _, err := static(p); return err }

// MatchStatic sets dst[i] to whether all of src[i] matches the pattern.
func MatchStatic(dst []bool, src []string, p string) error {
	r, err := static(`\A(?:` + p + `)\z`)
	if err != nil {
		return err
	}
	for i, s := range src {
		dst[i] = forText(r, s).MatchString(s)
	}
	return nil
}

// Match is MatchStatic with a pattern known at run time.
func Match(dst []bool, src, p []string) error {
	if _, err := pattern(p[0]); err != nil {
		return err
	}
	r, err := pattern(`\A(?:` + p[0] + `)\z`)
	if err != nil {
		return err
	}
	for i, s := range src {
		dst[i] = forText(r, s).MatchString(s)
	}
	return nil
}

// ReplaceStatic replaces matches of the pattern p by rewrite: all matches if global is set, else the
// first. In rewrite, \0 stands for the match, \1 to \9 for its groups, and \\ for a backslash.
func ReplaceStatic(run *mem.Budget, dst, src []string, p, rewrite string, global bool) error {
	r, err := static(p)
	if err != nil {
		return err
	}
	return replace(run, dst, src, r, rewrite, global)
}

// Replace is ReplaceStatic with pattern and rewrite known at run time.
func Replace(run *mem.Budget, dst, src, p, rewrite []string, global bool) error {
	r, err := pattern(p[0])
	if err != nil {
		return err
	}
	return replace(run, dst, src, r, rewrite[0], global)
}

func replace(run *mem.Budget, dst, src []string, r *regexp.Regexp, rewrite string, global bool) error {
	n := 1
	if global {
		n = -1
	}
	ok := goodRewrite(rewrite, r.NumSubexp())
	for i, s := range src {
		dst[i] = s
		if !ok {
			continue // RE2 leaves the text unchanged
		}
		ms := forText(r, s).FindAllStringSubmatchIndex(s, n)
		if len(ms) == 0 {
			continue
		}
		if err := run.Make(replacedLen(s, rewrite, ms)); err != nil {
			return err
		}
		var b strings.Builder
		at := 0
		for _, m := range ms {
			b.WriteString(s[at:m[0]])
			expand(&b, s, rewrite, m)
			at = m[1]
		}
		b.WriteString(s[at:])
		dst[i] = b.String()
	}
	return nil
}

// replacedLen returns the approximate length of s with the matches ms replaced by the
// rewrite w.
func replacedLen(s, w string, ms [][]int) int {
	n := len(s)
	for _, m := range ms {
		n = mem.Add(n, len(w))
		for i := 0; i+1 < len(w); i++ {
			if w[i] != '\\' {
				continue
			}
			i++
			if w[i] >= '0' && w[i] <= '9' {
				g := 2 * int(w[i]-'0')
				n = mem.Add(n, m[g+1]-m[g])
			}
		}
	}
	return n
}

// goodRewrite reports whether a rewrite refers only to existing groups.
func goodRewrite(w string, groups int) bool {
	for i := 0; i < len(w); i++ {
		if w[i] != '\\' {
			continue
		}
		i++
		switch {
		case i == len(w):
			return false
		case w[i] == '\\':
		case w[i] < '0' || w[i] > '9' || int(w[i]-'0') > groups:
			return false
		}
	}
	return true
}

func expand(b *strings.Builder, s, w string, m []int) {
	for i := 0; i < len(w); i++ {
		if w[i] != '\\' {
			b.WriteByte(w[i])
			continue
		}
		i++
		if w[i] == '\\' {
			b.WriteByte('\\')
			continue
		}
		g := int(w[i] - '0')
		if m[2*g] >= 0 {
			b.WriteString(s[m[2*g]:m[2*g+1]])
		}
	}
}
