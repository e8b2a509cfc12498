package names

import (
	"fmt"
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// initialisms are written in capitals in Go names.
var initialisms = map[string]string{"id": "ID", "ids": "IDs", "url": "URL", "uri": "URI", "json": "JSON", "html": "HTML",
	"http": "HTTP", "api": "API", "cpu": "CPU", "ip": "IP", "uid": "UID", "uuid": "UUID", "utf8": "UTF8", "xml": "XML"}

// Words joins the words of a name in CamelCase: serving_default becomes ServingDefault. A word
// consists of letters and digits; all other characters separate words.
func Words(name string) string {
	var b strings.Builder
	for _, w := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if c, ok := initialisms[w]; ok {
			b.WriteString(c)
			continue
		}
		r, n := utf8.DecodeRuneInString(w)
		b.WriteRune(unicode.ToUpper(r))
		b.WriteString(w[n:])
	}
	return b.String()
}

// Unexported converts the capital letters at the beginning of a name to lower case.
func Unexported(name string) string {
	rs := []rune(name)
	for i, r := range rs {
		if !unicode.IsUpper(r) || i > 0 && i+1 < len(rs) && unicode.IsLower(rs[i+1]) {
			break
		}
		rs[i] = unicode.ToLower(r)
	}
	return string(rs)
}

// Cut shortens an identifier to at most `most` characters. The parameter made is the identifier,
// and name is the name from which it was made. A shortened identifier ends with a hash of name, so
// it differs from the identifiers of other names with the same beginning, and does not depend on
// these names.
func Cut(made, name string, most int) string {
	rs := []rune(made)
	if len(rs) <= most {
		return made
	}
	h := hash(name)
	return string(rs[:most-len(h)]) + h
}

// LastWords joins as many of the last parts of a path as fit into `most` characters. If not even
// the last part fits, it returns that part, shortened by Cut.
func LastWords(path string, most int) string {
	parts := strings.Split(path, "/")
	made := ""
	for i := len(parts) - 1; i >= 0; i-- {
		w := Words(parts[i])
		if n := utf8.RuneCountInString(w + made); n > most {
			if made == "" {
				return Cut(w, path, most)
			}
			break
		}
		made = w + made
	}
	return made
}

// hash returns four hexadecimal digits that depend on a name.
func hash(name string) string {
	h := fnv.New32a()
	h.Write([]byte(name))
	return fmt.Sprintf("%04x", h.Sum32()&0xffff)
}
