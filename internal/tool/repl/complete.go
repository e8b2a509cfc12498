package repl

import (
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf8"
)

// completions is the maximum number of completions that are offered for a word.
const completions = 200

// complete returns the possible completions of the word that ends at pos, which is counted in
// characters. It also returns the parts of the line before this word (head) and after pos (tail).
func (s *Session) complete(line string, pos int) (head string, words []string, tail string) {
	at := 0
	for range pos {
		_, n := utf8.DecodeRuneInString(line[at:])
		at += n
	}
	begin := strings.LastIndexAny(line[:at], " \t,;=") + 1
	head, word, tail := line[:begin], line[begin:at], line[at:]
	before := head
	if i := strings.LastIndexByte(before, ';'); i >= 0 {
		before = before[i+1:]
	}
	first := strings.Fields(before)
	switch {
	case strings.HasPrefix(word, "@"):
		for _, name := range fileNames(word[1:]) {
			words = append(words, "@"+name)
		}
	case len(first) > 0 && wantsFile(first):
		words = fileNames(word)
	case strings.Contains(before, "="):
		words = startingWith(word, s.names(), []string{"zeros", "ones", "normal", "random", "range"})
	case len(first) == 0:
		words = startingWith(word, commandNames(), s.names())
	default:
		words = startingWith(word, s.names(), nil)
	}
	return head, words[:min(len(words), completions)], tail
}

// wantsFile reports whether a statement that begins with the given words continues with the name of
// a file.
func wantsFile(first []string) bool {
	c := commandNamed(first[0])
	return c != nil && c.files && len(first) == c.most
}

// startingWith returns the words in lists that begin with the prefix, sorted. If there are no such
// words, it returns the names of nodes in which the text after a slash begins with the prefix.
func startingWith(prefix string, lists ...[]string) []string {
	var out, inner []string
	for _, list := range lists {
		for _, w := range list {
			switch i := strings.Index(w, "/"+prefix); {
			case strings.HasPrefix(w, prefix):
				out = append(out, w)
			case prefix != "" && i >= 0:
				inner = append(inner, w)
			}
		}
	}
	if out == nil {
		out = inner
	}
	sort.Strings(out)
	return out
}

// fileNames returns the files and folders whose paths begin with the prefix. It leaves out names
// with spaces, which the user would have to write in quotes.
func fileNames(prefix string) (names []string) {
	dir, base := filepath.Split(prefix)
	from := dir
	if from == "" {
		from = "."
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || base == "" && strings.HasPrefix(name, ".") || strings.ContainsAny(name, " \t") {
			continue
		}
		if e.IsDir() {
			name += string(filepath.Separator)
		}
		names = append(names, dir+name)
	}
	return names
}
