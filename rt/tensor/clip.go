package tensor

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// Limits of error texts. They are needed because names and values in errors come from files and feeds,
// and may be of any length.
const (
	maxWord    = 1000 // the bytes of one name or value, or the elements of a list
	maxMessage = 4000 // the bytes of a message
	maxJoined  = 50   // how many errors of Join are printed
)

// Clip shortens a text that an error quotes; see ClipTo. The limit is 1000 bytes.
func Clip(s string) string { return ClipTo(s, maxWord) }

// ClipTo returns s if it has at most n bytes. Otherwise it returns the first n bytes of s, or a few
// less so that no character is cut, followed by the length of s.
func ClipTo(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := 0; i < utf8.UTFMax && n > 0 && !utf8.RuneStart(s[n]); i++ {
		n--
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:n], len(s))
}

// clipped returns arg, an argument for a format string. A long text, list or error is shortened.
func clipped(arg any) any {
	switch a := arg.(type) {
	case string:
		return Clip(a)
	case []byte:
		if len(a) > maxWord {
			return a[:maxWord:maxWord]
		}
		return a
	case error:
		if s := a.Error(); len(s) > maxMessage {
			return ClipTo(s, maxMessage)
		}
		return a
	case fmt.Stringer, fmt.Formatter:
		return a
	}
	v := reflect.ValueOf(arg)
	switch v.Kind() {
	case reflect.String:
		if v.Len() > maxWord {
			return Clip(v.String())
		}
	case reflect.Slice:
		if v.Len() > maxWord {
			return v.Slice(0, maxWord).Interface()
		}
		if l, ok := arg.([]string); ok {
			for i, s := range l {
				if len(s) > maxWord {
					l = append(append(append([]string(nil), l[:i]...), Clip(s)), l[i+1:]...)
				}
			}
			return l
		}
	}
	return arg
}

// Join is like errors.Join, but the text of the result contains only the first 50 errors. If only one
// error is not nil, Join returns this error itself.
func Join(errs ...error) error {
	var list joined
	for _, e := range errs {
		if e != nil {
			list = append(list, e)
		}
	}
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return list
}

type joined []error

// Error prints the first maxJoined errors, each on a new line.
func (j joined) Error() string {
	var b strings.Builder
	for i, e := range j {
		if i == maxJoined {
			fmt.Fprintf(&b, "\nand %d more errors", len(j)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
	}
	return b.String()
}

// Unwrap makes errors.Is and errors.As work for each error.
func (j joined) Unwrap() []error { return j }
