// Sample prints comments of Go files and sentences of pages, chosen at random, for a review. The
// reviewer should not be their author. A comment is printed with its line of code, a sentence with
// its paragraph. The default seed of the random choice is the hash of HEAD, so that all reviewers
// of a commit get the same sample.
//
//	go run ./internal/prose/sample [--comments 100] [--sentences 50] [--seed TEXT] [--since COMMIT]
//
// With --since, the sample is taken only from files that differ from COMMIT. The working directory
// must be the root of the repository.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"

	"github.com/graphc/graphc/internal/prose"
)

func main() {
	log.SetFlags(0)
	comments := flag.Int("comments", 100, "number of comments")
	sentences := flag.Int("sentences", 50, "number of sentences")
	seed := flag.String("seed", "", "text that chooses; the hash of HEAD by default")
	since := flag.String("since", "", "only files that differ from this commit")
	flag.Parse()
	if *seed == "" {
		*seed = strings.TrimSpace(git("rev-parse", "HEAD"))
	}
	list := []string{"ls-files"}
	if *since != "" {
		list = []string{"diff", "--name-only", "--diff-filter=d", *since}
	}
	var all [2][]string
	for _, name := range strings.Fields(git(list...)) {
		switch {
		case strings.HasSuffix(name, ".go"):
			all[0] = append(all[0], commentsOf(name)...)
		case strings.HasSuffix(name, ".md"):
			all[1] = append(all[1], sentencesOf(name)...)
		}
	}
	r := rand.New(rand.NewChaCha8(sha256.Sum256([]byte(*seed))))
	fmt.Printf("seed %s: of %d comments and %d sentences\n", *seed, len(all[0]), len(all[1]))
	for kind, n := range []int{*comments, *sentences} {
		for i, k := range r.Perm(len(all[kind]))[:min(n, len(all[kind]))] {
			fmt.Printf("\n%s %d  %s\n", [2]string{"comment", "sentence"}[kind], i+1, all[kind][k])
		}
	}
}

// commentsOf returns the comments in a Go file that have at least four words. It returns nil if the
// file is generated.
func commentsOf(name string) []string {
	src, err := os.ReadFile(name)
	if err != nil || strings.Contains(string(src[:min(len(src), 2000)]), "DO NOT EDIT") || strings.Contains(name, "testdata/") {
		return nil
	}
	comments, _, err := prose.Texts(src)
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	var out []string
	for _, c := range comments {
		if prose.Words(c.Text) > 3 {
			out = append(out, fmt.Sprintf("%s:%d\n%s\n\tat: %s", name, c.Line, c.Text, c.Code))
		}
	}
	return out
}

// sentencesOf returns the sentences of a Markdown page that have at least four words. It skips the
// tables of ops.
func sentencesOf(name string) []string {
	if name == "docs/ops.md" || name == "docs/gpu-ops.md" {
		return nil
	}
	page, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	rows := rowsOf(string(page))
	var out []string
	for _, text := range prose.Text(string(page)) {
		for _, s := range prose.Sentences(text) {
			if prose.Words(s) > 3 {
				in := text
				if row, ok := rows[text]; ok {
					in = row
				}
				out = append(out, fmt.Sprintf("%s\n%s\n\tin: %s", name, s, in))
			}
		}
	}
	return out
}

// rowsOf returns the row of each table cell of a page, after the head of its table.
func rowsOf(page string) map[string]string {
	rows := map[string]string{}
	head := ""
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			head = ""
			continue
		}
		if head == "" {
			head = line
		}
		for _, cell := range prose.Cells(line) {
			rows[cell] = head + "\n\t    " + line
		}
	}
	return rows
}

func git(args ...string) string {
	out, err := exec.Command("git", args...).Output()
	if err != nil {
		log.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}
