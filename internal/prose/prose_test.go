package prose

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/graphc/graphc/internal/testkit"
)

// files lists the repository's files, except this package and the style guide, which quote the phrases.
func files(t *testing.T, ext string) []string {
	t.Helper()
	return slices.DeleteFunc(testkit.Files(t, ext), func(name string) bool {
		return strings.HasPrefix(name, "internal/prose/") || name == "CONTRIBUTING.md"
	})
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(testkit.Root(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPhrases counts the phrases in comments, messages and pages. None may occur.
func TestPhrases(t *testing.T) {
	counts, where := map[string]int{}, map[string]string{}
	add := func(kind, name string, texts []string) {
		for _, text := range texts {
			for i := range Phrases {
				p := &Phrases[i]
				if n := p.Count(text); n > 0 {
					key := kind + ": " + p.Name
					counts[key] += n
					where[key] += fmt.Sprintf("\n\t%s: …%s…", name, p.Find(text))
				}
			}
		}
	}
	for _, name := range files(t, ".go") {
		src := read(t, name)
		if strings.HasSuffix(name, ".gen.go") || strings.HasSuffix(name, ".pb.go") {
			continue // the comments in the source of the generator are checked instead
		}
		comments, messages, err := Texts(src)
		if err != nil {
			continue // a test file with intentional syntax errors
		}
		for _, c := range comments {
			add("comments", name, []string{c.Text})
		}
		if !strings.HasSuffix(name, "_test.go") {
			add("messages", name, messages)
		}
	}
	for _, name := range files(t, ".md") {
		add("pages", name, Page(string(read(t, name))))
	}
	for key, n := range counts {
		t.Errorf("%q occurs %d times; say instead: %s%s", key, n, instead(key), where[key])
	}
}

func instead(key string) string {
	_, name, _ := strings.Cut(key, ": ")
	for _, p := range Phrases {
		if p.Name == name {
			return p.Say
		}
	}
	return ""
}

// TestLongSentences checks the length of all sentences on the pages. At most one sentence in twenty
// may have more than 25 words, and none may have more than 40 words.
func TestLongSentences(t *testing.T) {
	all, long := 0, 0
	for _, name := range files(t, ".md") {
		if name == "docs/ops.md" || name == "docs/gpu-ops.md" {
			continue // lists of ops
		}
		for _, text := range Page(string(read(t, name))) {
			for _, s := range Sentences(text) {
				n := Words(s)
				all++
				if n > 25 {
					long++
				}
				if n > 40 {
					t.Errorf("%s: a sentence of %d words: %s", name, n, s)
				}
			}
		}
	}
	if long*20 > all {
		t.Errorf("%d of %d sentences have more than 25 words", long, all)
	}
}

// TestWidth: lines of pages have at most 100 columns, except for tables, links and code.
func TestWidth(t *testing.T) {
	for _, name := range files(t, ".md") {
		code := false
		for i, line := range strings.Split(string(read(t, name)), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				code = !code
			}
			if code || strings.HasPrefix(line, "    ") || strings.HasPrefix(strings.TrimSpace(line), "|") {
				continue
			}
			// Code and links cannot be wrapped, so they count as one word.
			words := strings.Fields(coded.ReplaceAllString(linked.ReplaceAllString(line, "]"), "Code"))
			if n := utf8.RuneCountInString(line); n > 100 && len(words) > 3 {
				t.Errorf("%s:%d has %d columns", name, i+1, n)
			}
		}
	}
}

func TestSentences(t *testing.T) {
	got := Sentences("One is short. Two (e.g. this one) has 1.5 words! And \"three?\" It asks.")
	want := []string{"One is short.", "Two (e.g. this one) has 1.5 words!", "And \"three?", "It asks."}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPage(t *testing.T) {
	got := Page("# Title\n\nA line\nand `x y` [more](a b).\n\n    code\n\n- an item\n- another\n  goes on\n\n| a | b |\n\n```\nx\n```\nend\n")
	want := []string{"A line and Code [more].", "an item", "another goes on", "a", "b", "end"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFinds(t *testing.T) {
	for text, want := range map[string]string{
		"ok reports that x holds.":                      "reports that",
		"What is fetched stays.":                        "What … as a subject",
		"It has memory of its own.":                     "of its own",
		"The loop under way ends.":                      "under way",
		"It says what is fetched. What is this? A day.": "",
	} {
		found := ""
		for i := range Phrases {
			if Phrases[i].Count(text) > 0 {
				found += Phrases[i].Name
			}
		}
		if found != want {
			t.Errorf("%q has %q, want %q", text, found, want)
		}
	}
}

// TestReferences checks names such as lower.Schedule in comments. If a package of this module has
// the first name, it must declare the second one.
func TestReferences(t *testing.T) {
	declared := map[string]map[string]bool{}
	texts := map[string][]string{}
	for _, name := range files(t, ".go") {
		f, err := parser.ParseFile(token.NewFileSet(), name, read(t, name), parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue // testdata with intentional errors
		}
		names := declared[f.Name.Name]
		if names == nil {
			names = map[string]bool{}
			declared[f.Name.Name] = names
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				names[n.Name.Name] = true
			case *ast.TypeSpec:
				names[n.Name.Name] = true
			case *ast.ValueSpec:
				for _, x := range n.Names {
					names[x.Name] = true
				}
			case *ast.Field: // the name before the dot may also be a variable, and the name after it a field, as in plan.Dims
				for _, x := range n.Names {
					names[x.Name] = true
				}
			}
			return true
		})
		for _, g := range f.Comments {
			texts[name] = append(texts[name], g.Text())
		}
	}
	for _, other := range []string{"math", "proto", "train"} { // these are also names of packages outside of this module
		delete(declared, other)
	}
	reference := regexp.MustCompile(`\b([a-z][a-z0-9]+)\.([A-Z]\w+)`)
	for name, all := range texts {
		for _, text := range all {
			for _, m := range reference.FindAllStringSubmatch(text, -1) {
				if names, ok := declared[m[1]]; ok && !names[m[2]] {
					t.Errorf("%s: a comment names %s, which does not exist", name, m[0])
				}
			}
		}
	}
}
