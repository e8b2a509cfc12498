package formats

import (
	"fmt"
	"strconv"
	"strings"
)

// shell quotes a word for a POSIX shell, if it needs quotes.
func shell(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=+,@%", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// shellPath quotes a path for a shell; a path that begins with a dash gets the prefix ./.
func shellPath(p string) string {
	if strings.HasPrefix(p, "-") {
		p = "./" + p
	}
	return shell(p)
}

// command joins the words of a command. A word that begins with a space is a path: the space is
// removed and the path is quoted.
func command(words ...string) string {
	for i, w := range words {
		if p, ok := strings.CutPrefix(w, " "); ok {
			words[i] = shellPath(p)
		}
	}
	return strings.Join(words, " ")
}

// python returns the command that runs a line of Python, in which each %s is replaced by one
// argument as a string literal.
func python(line string, args ...string) string {
	quotes := make([]any, len(args))
	for i, a := range args {
		quotes[i] = quoted(a)
	}
	return "python -c " + shell(fmt.Sprintf(line, quotes...))
}

// quoted returns a string literal of Python.
func quoted(s string) string { return strconv.QuoteToASCII(s) }
