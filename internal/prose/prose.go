// Package prose finds phrases that CONTRIBUTING.md forbids in comments, messages and pages. It also
// counts the words of sentences.
package prose

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// A Phrase is a phrase that is hard to read.
type Phrase struct {
	Name string // name in the errors of TestPhrases
	Say  string // proposed replacement
	find *regexp.Regexp
}

// Count returns how often the phrase occurs in text.
func (p *Phrase) Count(text string) int { return len(p.find.FindAllStringIndex(text, -1)) }

// Find returns the first occurrence of the phrase in text with some context, or "".
func (p *Phrase) Find(text string) string {
	at := p.find.FindStringIndex(text)
	if at == nil {
		return ""
	}
	return text[max(0, at[0]-30):min(len(text), at[1]+40)]
}

func phrase(name, say, pattern string) Phrase { return Phrase{name, say, regexp.MustCompile(pattern)} }

// Phrases lists all phrases.
var Phrases = []Phrase{
	phrase("reports that", "reports whether", `\breports that\b`),
	phrase("is told", "gets, is given, is known", `\b(is|are|was|were|be|being|been) told\b`),
	phrase("a run tells", "is known only at run time", `\b(a|only a|the) run tells\b`),
	phrase("tells whether", "reports whether, says whether", `\btells? (whether|it|how many)\b`),
	phrase("whoever", "the caller, each reader", `(?i)\bwho(m)?ever\b`),
	phrase("who waits", "readers, waiters", `\bwho (waits?|waited|reads?|takes?|asks?|uses?|makes?|writes?|has|gets)\b`),
	phrase("What … as a subject", "name the thing", `(^|[.;:)] )What [^?.]*[.]|(^|[;:] )what (is|are|was|were|has|must|may|needs|depends|comes|goes) `),
	phrase("stands in", "is in, is placed on", `\b(stands?|stood|standing) (in|on|at|as|where|before|behind|beside|there|here|alone|between|under|above|below)\b`),
	phrase("of its own", "its own, separate", `\bof (its|their|his|one's) own\b([.,;:)]|$| (and|or|for|that|which|in|on|is|are|has|with|from|by|to|so|as)\b)`),
	phrase("nobody", "no reader, unused, unknown", `(?i)\b(nobody|somebody|anybody|everybody)\b`),
	phrase("under way", "running, in progress", `\bunder way\b`),
	phrase("hands on", "passes, returns", `\bhand(s|ed|ing)? (on|over|out|back)\b`),
	phrase("there is none", "is missing, is unknown", `(^|[^f\s]\s)there (is|are|was|were) none\b`),
	phrase("such a one", "name it", `\bsuch (a )?ones?\b`),
	phrase("as which", "reports how", `\bas which\b`),
	phrase("of what", "name the thing", `\b(of|that of|those of) (who|what (is|was|are|were|it|they))\b`),
	phrase("comes behind", "follows", `\b(comes?|came|goes|stands?) behind\b`),
	phrase("of nothing", "empty", `\bof nothing\b|\bcounts? for nothing\b`),
	phrase("sees to", "ensures", `\b(sees|saw|seen) to\b`),
	phrase("lets be", "leaves unchanged", `\blets? (be|it be|them be)\b`),
	phrase("is carried out of", "leaves", `\bcarr(y|ies|ied) out of\b`),
	phrase("that which", "what, the one that", `\b(that|those) which\b`),
}

// A Comment is a group of comment lines, without directives.
type Comment struct {
	Text string
	Line int    // line of its beginning, counted from 1
	Code string // code in the same line before the comment; otherwise the next line of code, or "" if there is no more code
}

// Texts returns the comments of a Go file, and those of its string constants that have at least
// three words.
func Texts(src []byte) (comments []Comment, messages []string, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	lines := strings.Split(string(src), "\n")
	for _, g := range f.Comments {
		from, to := fset.Position(g.Pos()), fset.Position(g.End())
		code := strings.TrimSpace(lines[from.Line-1][:from.Column-1])
		for i := to.Line; code == "" && i < len(lines); i++ {
			if code = strings.TrimSpace(lines[i]); strings.HasPrefix(code, "//") {
				code = ""
			}
		}
		comments = append(comments, Comment{join(g.Text()), from.Line, code})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if s, err := strconv.Unquote(l.Value); err == nil && len(strings.Fields(s)) > 2 {
				messages = append(messages, join(s))
			}
		}
		return true
	})
	return comments, messages, nil
}

var (
	fenced = regexp.MustCompile("(?ms)^(```|~~~).*?^(```|~~~)[ \t]*$")
	coded  = regexp.MustCompile("``[^`]+``|`[^`\n]+`")
	linked = regexp.MustCompile(`\]\([^)]*\)`)
)

// Page returns the paragraphs of a Markdown page. It drops blocks of code, replaces inline code by
// the word "Code", and treats each table cell and list item as a paragraph.
func Page(md string) []string {
	return paragraphs(linked.ReplaceAllString(coded.ReplaceAllString(fenced.ReplaceAllString(md, "\n"), "Code"), "]"))
}

// Text returns the same paragraphs as Page, but with the inline code.
func Text(md string) []string {
	return paragraphs(linked.ReplaceAllString(fenced.ReplaceAllString(md, "\n"), "]"))
}

func paragraphs(md string) []string {
	var texts []string
	var now []string
	end := func() {
		if len(now) > 0 {
			texts = append(texts, strings.Join(now, " "))
			now = nil
		}
	}
	for line := range strings.Lines(md) {
		text := strings.TrimSpace(line)
		switch {
		case text == "", strings.HasPrefix(line, "    ") && len(now) == 0, strings.HasPrefix(line, "\t"):
			end()
		case strings.HasPrefix(text, "|"):
			end()
			texts = append(texts, Cells(text)...)
		case strings.HasPrefix(text, "#"):
			end()
		case item.MatchString(text):
			end()
			now = append(now, item.ReplaceAllString(text, ""))
		default:
			now = append(now, text)
		}
	}
	end()
	return texts
}

// Cells returns the cells of a row of a table.
func Cells(row string) []string {
	cells := strings.Split(strings.Trim(row, "|"), " | ")
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(cell)
	}
	return cells
}

var item = regexp.MustCompile(`^([-*]|[0-9]+\.) `)

// stop matches the end of a sentence: a colon, a semicolon, or one of . ! ? before a capital letter or
// a digit. The dots in "e.g. this" and "1.5" do not match.
var stop = regexp.MustCompile(`[.!?]["”)*]*\s+["“(*\[]*[A-Z0-9]|[;:] `)

// Sentences splits a paragraph into sentences.
func Sentences(text string) []string {
	var all []string
	for {
		at := stop.FindStringIndex(text)
		if at == nil {
			break
		}
		end := at[0] + 1
		all = append(all, text[:end])
		text = strings.TrimLeft(text[end:], "\"”)* \n")
	}
	if strings.TrimSpace(text) != "" {
		all = append(all, text)
	}
	return all
}

// Words returns the number of words of a sentence.
func Words(sentence string) int { return len(strings.Fields(sentence)) }

func join(text string) string { return strings.Join(strings.Fields(text), " ") }
