package strs

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// spaces are the white space bytes.
const spaces = " \t\n\v\f\r"

// Append sets dst[i] = dst[i] + separator + part[i]. If part has one element, it is used for every i.
// If first is set, Append sets dst[i] = part[i] instead.
func Append(run *mem.Budget, dst, part []string, separator string, first bool) {
	for i := range dst {
		p := part[0]
		if len(part) != 1 {
			p = part[i]
		}
		if first {
			dst[i] = p
		} else {
			run.MustMake(len(dst[i]) + len(separator) + len(p))
			dst[i] += separator + p
		}
	}
}

// Lower turns upper-case letters into lower case. It changes only ASCII letters, unless unicode is
// set.
func Lower(run *mem.Budget, dst, src []string, unicode bool) {
	for i, s := range src {
		run.MustMake(len(s))
		if unicode {
			dst[i] = lower(untilNul(s))
			continue
		}
		dst[i] = asciiMap(s, 'A', 'Z', 'a'-'A')
	}
}

// untilNul returns s up to its first NUL, the part that TensorFlow's Unicode library gets.
func untilNul(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return s
}

// Upper turns lower-case letters into upper case. It changes only ASCII letters, unless unicode is
// set.
func Upper(run *mem.Budget, dst, src []string, unicode bool) {
	for i, s := range src {
		run.MustMake(len(s))
		if unicode {
			dst[i] = specialUpper.Replace(strings.ToUpper(untilNul(s)))
			continue
		}
		dst[i] = asciiMap(s, 'a', 'z', 'A'-'a'+256)
	}
}

// specialUpper are the letters whose upper case has several letters.
var specialUpper = strings.NewReplacer("ß", "SS", "ŉ", "ʼN", "ǰ", "J̌", "ΐ", "Ϊ́", "ΰ", "Ϋ́", "և", "ԵՒ",
	"ﬀ", "FF", "ﬁ", "FI", "ﬂ", "FL", "ﬃ", "FFI", "ﬄ", "FFL", "ﬅ", "ST", "ﬆ", "ST")

func asciiMap(s string, from, to byte, add int) string {
	b := []byte(s)
	for i, c := range b {
		if c >= from && c <= to {
			b[i] = byte(int(c) + add)
		}
	}
	return string(b)
}

// lower converts to lower case as Unicode defines it: a dotted capital I keeps its
// dot, and a capital sigma at the end of a word becomes a final sigma.
func lower(s string) string {
	rs := []rune(s)
	var b strings.Builder
	for i, r := range rs {
		switch r {
		case 'İ':
			b.WriteString("i̇")
		case 'Σ':
			if i > 0 && unicode.IsLetter(rs[i-1]) && (i+1 == len(rs) || !unicode.IsLetter(rs[i+1])) {
				b.WriteRune('ς')
			} else {
				b.WriteRune('σ')
			}
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// Length computes the length of each string: in UTF-8 characters if chars is set, otherwise in
// bytes.
func Length(dst []int32, src []string, chars bool) {
	for i, s := range src {
		dst[i] = int32(length(s, chars))
	}
}

func length(s string, chars bool) int {
	if !chars {
		return len(s)
	}
	n := 0
	for i := range len(s) {
		if s[i]&0xc0 != 0x80 {
			n++
		}
	}
	return n
}

// Strip removes ASCII white space at both ends.
func Strip(dst, src []string) {
	for i, s := range src {
		dst[i] = strings.Trim(s, spaces)
	}
}

// offset returns the position in bytes of character n of s. If s has no more than n characters, it
// returns len(s).
func offset(s string, n int) int {
	for i := range len(s) {
		if s[i]&0xc0 != 0x80 {
			if n == 0 {
				return i
			}
			n--
		}
	}
	return len(s)
}

// SubstrParams describes a call of Substr whose strings, positions and lengths are broadcast over
// up to 6 dimensions. D holds the sizes of these dimensions. Unused leading dimensions have the
// size 1. S holds the strides of the strings, and P those of the positions and lengths. A stride of
// 0 repeats an operand along its dimension.
type SubstrParams struct {
	D, S, P [6]int // sizes; strides of the strings; strides of the positions and lengths
	Chars   bool   // whether positions and lengths count UTF-8 characters instead of bytes
}

func substr[I int32 | int64](dst, src []string, pos, size []I, p *SubstrParams) error {
	var ix [6]int
	for i := range dst {
		s, q := 0, 0
		for k := range ix {
			s += ix[k] * p.S[k]
			q += ix[k] * p.P[k]
		}
		v, ok := part(src[s], int(pos[q]), int(size[q]), p.Chars)
		if !ok {
			return tensor.Errorf(tensor.InvalidArgument, "pos %d out of range for string b'%s' at index %d", pos[q], src[s], i)
		}
		dst[i] = v
		for k := 5; k >= 0; k-- {
			if ix[k]++; ix[k] < p.D[k] {
				break
			}
			ix[k] = 0
		}
	}
	return nil
}

func part(s string, pos, size int, chars bool) (string, bool) {
	n := length(s, chars)
	if pos < 0 {
		pos += n
	}
	if pos < 0 || pos > n {
		return "", false
	}
	end := n
	if size >= 0 && size < n-pos {
		end = pos + size
	}
	if chars {
		return s[offset(s, pos):offset(s, end)], true
	}
	return s[pos:end], true
}

// EncodeBase64 encodes strings in web-safe base64. If the parameter pad is set, the result is
// padded with =.
func EncodeBase64(run *mem.Budget, dst, src []string, pad bool) {
	e := base64.RawURLEncoding
	if pad {
		e = base64.URLEncoding
	}
	for i, s := range src {
		run.MustMake(e.EncodedLen(len(s)))
		dst[i] = e.EncodeToString([]byte(s))
	}
}

// DecodeBase64 decodes web-safe base64 with or without padding. It returns InvalidArgument for any
// other text.
func DecodeBase64(run *mem.Budget, dst, src []string) error {
	for i, s := range src {
		t := strings.TrimRight(s, "=")
		if len(s)-len(t) > 2 || len(s) != len(t) && len(s)%4 != 0 {
			return tensor.Errorf(tensor.InvalidArgument, "%q is not web-safe base64", s)
		}
		if err := run.Make(base64.RawURLEncoding.DecodedLen(len(t))); err != nil {
			return err
		}
		b, err := base64.RawURLEncoding.DecodeString(t)
		if err != nil || strings.ContainsAny(t, "\r\n") {
			return tensor.Errorf(tensor.InvalidArgument, "%q is not web-safe base64", s)
		}
		dst[i] = string(b)
	}
	return nil
}

// Shard writes basename-00003-of-00010.
func Shard(dst, basename []string, shard, shards []int32) {
	dst[0] = fmt.Sprintf("%s-%05d-of-%05d", cString(basename[0]), shard[0], shards[0])
}

// ShardPattern writes basename-?????-of-00010.
func ShardPattern(dst, basename []string, shards []int32) {
	dst[0] = fmt.Sprintf("%s-?????-of-%05d", cString(basename[0]), shards[0])
}

// cString returns s up to its first zero byte, where C ends a string.
func cString(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return s
}

func numberError(s string) error {
	return tensor.Errorf(tensor.InvalidArgument, "StringToNumberOp could not correctly convert string: %s", s)
}

// NumberF32 reads numbers as ParseFloat does. It returns InvalidArgument for any other text.
func NumberF32(dst []float32, src []string) error {
	for i, s := range src {
		v, ok := ParseFloat(s, 32)
		if !ok {
			return numberError(s)
		}
		dst[i] = float32(v)
	}
	return nil
}

// NumberF64 is NumberF32 for f64.
func NumberF64(dst []float64, src []string) error {
	for i, s := range src {
		v, ok := ParseFloat(s, 64)
		if !ok {
			return numberError(s)
		}
		dst[i] = v
	}
	return nil
}

// NumberI32 reads decimal integers with white space around them. It returns InvalidArgument for any
// other text, and for a number out of the type's range.
func NumberI32(dst []int32, src []string) error {
	for i, s := range src {
		v, err := strconv.ParseInt(intText(s), 10, 32)
		if err != nil {
			return numberError(s)
		}
		dst[i] = int32(v)
	}
	return nil
}

// NumberI64 is NumberI32 for i64.
func NumberI64(dst []int64, src []string) error {
	for i, s := range src {
		v, err := strconv.ParseInt(intText(s), 10, 64)
		if err != nil {
			return numberError(s)
		}
		dst[i] = v
	}
	return nil
}

// NumberU32 is NumberI32 for u32.
func NumberU32(dst []uint32, src []string) error {
	for i, s := range src {
		v, err := strconv.ParseUint(intText(s), 10, 32)
		if err != nil {
			return numberError(s)
		}
		dst[i] = uint32(v)
	}
	return nil
}

// NumberU64 is NumberI32 for u64.
func NumberU64(dst []uint64, src []string) error {
	for i, s := range src {
		v, err := strconv.ParseUint(intText(s), 10, 64)
		if err != nil {
			return numberError(s)
		}
		dst[i] = v
	}
	return nil
}

// intText removes white space around s. If the remaining text begins with a plus sign or contains
// an underscore, intText returns "". The caller rejects an empty text, because TensorFlow accepts
// neither plus signs nor underscores.
func intText(s string) string {
	s = strings.Trim(s, spaces)
	if strings.HasPrefix(s, "+") || strings.Contains(s, "_") {
		return ""
	}
	return s
}

// ParseFloat parses a decimal or hexadecimal number, or the words inf, infinity or nan in upper or
// lower case. White space around the text is allowed. The parameter bits is 32 or 64. A number that
// is too large for this many bits becomes infinite. For any other text, ParseFloat returns false.
func ParseFloat(s string, bits int) (float64, bool) {
	s = strings.Trim(s, spaces)
	if s == "" || strings.Contains(s, "_") {
		return 0, false
	}
	l := strings.ToLower(strings.TrimLeft(s, "+-"))
	if strings.HasPrefix(l, "0x") && !strings.Contains(l, "p") {
		s += "p0"
	}
	v, err := strconv.ParseFloat(s, bits)
	if err != nil {
		if e, ok := err.(*strconv.NumError); !ok || e.Err != strconv.ErrRange {
			return 0, false
		}
	}
	return v, true
}
