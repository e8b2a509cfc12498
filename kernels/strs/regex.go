package strs

import (
	"regexp"
	"strings"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// compiled holds the patterns that are attributes, of which a program has few.
var compiled sync.Map

// pattern compiles RE2 syntax, which Go's is.
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

// CheckPattern refuses what is no pattern.
func CheckPattern(p string) error { _, err := static(p); return err }

// MatchStatic tells whether all of src[i] matches the pattern.
func MatchStatic(dst []bool, src []string, p string) error {
	r, err := static(`\A(?:` + p + `)\z`)
	if err != nil {
		return err
	}
	for i, s := range src {
		dst[i] = r.MatchString(s)
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
		dst[i] = r.MatchString(s)
	}
	return nil
}

// ReplaceStatic replaces matches of the pattern, all of them if global, else the
// first. In rewrite \0 to \9 stand for the match and its groups, \\ for a backslash.
func ReplaceStatic(dst, src []string, p, rewrite string, global bool) error {
	r, err := static(p)
	if err != nil {
		return err
	}
	replace(dst, src, r, rewrite, global)
	return nil
}

// Replace is ReplaceStatic with pattern and rewrite known at run time.
func Replace(dst, src, p, rewrite []string, global bool) error {
	r, err := pattern(p[0])
	if err != nil {
		return err
	}
	replace(dst, src, r, rewrite[0], global)
	return nil
}

func replace(dst, src []string, r *regexp.Regexp, rewrite string, global bool) {
	n := 1
	if global {
		n = -1
	}
	ok := goodRewrite(rewrite, r.NumSubexp())
	for i, s := range src {
		dst[i] = s
		if !ok {
			continue // RE2 leaves the text as it is
		}
		ms := r.FindAllStringSubmatchIndex(s, n)
		if len(ms) == 0 {
			continue
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
}

// goodRewrite reports that a rewrite names only groups there are.
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
