package strs

import (
	"unicode/utf8"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Encoding is a Unicode encoding.
type Encoding int

// The encodings.
const (
	UTF8 Encoding = iota
	UTF16BE
	UTF16LE
	UTF32BE
	UTF32LE
	ASCII
	Latin1
)

// ErrorMode is the handling of malformed text.
type ErrorMode int

// Strict rejects malformed text, Substitute replaces it by UnicodeParams.Replacement, and Ignore
// leaves it out.
const (
	Strict ErrorMode = iota
	Substitute
	Ignore
)

// UnicodeParams describes how text is read and written.
type UnicodeParams struct {
	From, To    Encoding
	Errors      ErrorMode
	Replacement int
	Controls    bool // treat control characters up to 0x1f as malformed
	// If Starts is not nil, the position of each character in its string is stored in it.
	Starts []int64
}

// malformed returns the length of the malformed sequence at the start of s: the
// longest part that can begin a character (Unicode 15, section 3.9, U+FFFD
// substitution).
func malformed(s string) int {
	b := s[0]
	lo, hi, n := byte(0x80), byte(0xbf), 0
	switch {
	case b >= 0xc2 && b <= 0xdf:
		n = 1
	case b >= 0xe0 && b <= 0xef:
		n = 2
		if b == 0xe0 {
			lo = 0xa0
		}
		if b == 0xed {
			hi = 0x9f
		}
	case b >= 0xf0 && b <= 0xf4:
		n = 3
		if b == 0xf0 {
			lo = 0x90
		}
		if b == 0xf4 {
			hi = 0x8f
		}
	}
	i := 1
	for ; i <= n && i < len(s) && s[i] >= lo && s[i] <= hi; i++ {
		lo, hi = 0x80, 0xbf
	}
	return i
}

// first returns the first character of s and its length.
func first(s string, e Encoding) (r rune, n int, ok bool) {
	at := func(i, size int, little bool) rune {
		var v rune
		for k := range size {
			if little {
				v |= rune(s[i+k]) << (8 * k)
			} else {
				v = v<<8 | rune(s[i+k])
			}
		}
		return v
	}
	switch e {
	case UTF8:
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			return 0, malformed(s), false
		}
		return r, n, true
	case UTF16BE, UTF16LE:
		little := e == UTF16LE
		if len(s) < 2 {
			return 0, len(s), false
		}
		u := at(0, 2, little)
		switch {
		case u < 0xd800 || u > 0xdfff:
			return u, 2, true
		case u < 0xdc00 && len(s) >= 4:
			if v := at(2, 2, little); v >= 0xdc00 && v <= 0xdfff {
				return 0x10000 + (u-0xd800)<<10 + v - 0xdc00, 4, true
			}
		}
		return 0, 2, false
	case UTF32BE, UTF32LE:
		if len(s) < 4 {
			return 0, len(s), false
		}
		u := at(0, 4, e == UTF32LE)
		return u, 4, utf8.ValidRune(u)
	case ASCII:
		return rune(s[0]), 1, s[0] < 0x80
	}
	return rune(s[0]), 1, true
}

// characters calls f with every character of s and its position. It reports false if
// the text is malformed and the mode is Strict.
func (p *UnicodeParams) characters(s string, f func(r rune, at int)) bool {
	for i := 0; i < len(s); {
		r, n, ok := first(s[i:], p.From)
		if !ok && p.Errors == Strict {
			return false
		}
		switch {
		case ok && !(p.Controls && r <= 0x1f):
			f(r, i)
		case p.Errors != Ignore:
			f(rune(p.Replacement), i)
		}
		i += n
	}
	return true
}

var errFormat = &tensor.Error{Code: tensor.InvalidArgument, Msg: "Invalid formatting on input string"}

// CharacterCount returns the number of characters of all strings.
func CharacterCount(src []string, p UnicodeParams) (int, error) {
	n := 0
	for _, s := range src {
		if !p.characters(s, func(rune, int) { n++ }) {
			return 0, errFormat
		}
	}
	return n, nil
}

func characters[I int32 | int64](splits []I, chars []int32, src []string, p *UnicodeParams) {
	n := 0
	splits[0] = 0
	for k, s := range src {
		p.characters(s, func(r rune, at int) {
			chars[n] = r
			if len(p.Starts) != 0 {
				p.Starts[n] = int64(at)
			}
			n++
		})
		splits[k+1] = I(n)
	}
}

// Characters32 writes the characters of all strings to chars, and the row splits of the strings to
// splits. If p.Starts is not nil, it also writes the positions of the characters there.
func Characters32(splits []int32, chars []int32, src []string, p UnicodeParams) {
	characters(splits, chars, src, &p)
}

// Characters64 is Characters32 for i64 splits.
func Characters64(splits []int64, chars []int32, src []string, p UnicodeParams) {
	characters(splits, chars, src, &p)
}

// put appends the character r to b in the encoding e.
func put(b []byte, r rune, e Encoding) []byte {
	switch e {
	case UTF16BE:
		if r > 0xffff {
			r -= 0x10000
			h, l := 0xd800+r>>10, 0xdc00+r&0x3ff
			return append(b, byte(h>>8), byte(h), byte(l>>8), byte(l))
		}
		return append(b, byte(r>>8), byte(r))
	case UTF32BE:
		return append(b, byte(r>>24), byte(r>>16), byte(r>>8), byte(r))
	}
	return utf8.AppendRune(b, r)
}

// Transcode rewrites strings in another encoding. It returns InvalidArgument for a malformed string
// if p.Errors is Strict.
func Transcode(run *mem.Budget, dst, src []string, p UnicodeParams) error {
	for i, s := range src {
		var b []byte
		if !p.characters(s, func(r rune, _ int) { b = put(b, r, p.To) }) {
			return errFormat
		}
		if err := run.Make(len(b)); err != nil {
			return err
		}
		dst[i] = string(b)
	}
	return nil
}

func encode[I int32 | int64](run *mem.Budget, dst []string, chars []int32, splits []I, p *UnicodeParams) error {
	if len(splits) == 0 || splits[0] != 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the first of input_splits must be 0")
	}
	if int(splits[len(splits)-1]) != len(chars) {
		return tensor.Errorf(tensor.InvalidArgument, "the last of input_splits must be %d", len(chars))
	}
	for i := range dst {
		from, to := splits[i], splits[i+1]
		if from > to || int(to) > len(chars) {
			return tensor.Errorf(tensor.InvalidArgument, "input_splits must rise")
		}
		var b []byte
		for _, c := range chars[from:to] {
			switch {
			case utf8.ValidRune(c):
				b = put(b, c, p.To)
			case p.Errors == Strict:
				return tensor.Errorf(tensor.InvalidArgument, "Code point is out of range for Unicode, or a noncharacter.")
			case p.Errors == Substitute:
				b = put(b, rune(p.Replacement), p.To)
			}
		}
		if err := run.Make(len(b)); err != nil {
			return err
		}
		dst[i] = string(b)
	}
	return nil
}

// Encode32 writes strings of characters: string i gets chars[splits[i]:splits[i+1]].
func Encode32(run *mem.Budget, dst []string, chars, splits []int32, p UnicodeParams) error {
	return encode(run, dst, chars, splits, &p)
}

// Encode64 is Encode32 for i64 splits.
func Encode64(run *mem.Budget, dst []string, chars []int32, splits []int64, p UnicodeParams) error {
	return encode(run, dst, chars, splits, &p)
}
