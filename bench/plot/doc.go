package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/graphc/graphc/internal/benchreport"
)

// insert writes the results into two sections of the Markdown file with the name doc. The section
// between the lines <!-- models --> and <!-- end --> gets a table of the cases in the parameter
// single, and links to the picture files in the parameter models. The section between <!-- growth
// --> and <!-- end --> gets links to the picture files in the parameter growth. A section without
// results stays unchanged.
func insert(doc string, single []*benchreport.Case, models, growth []string) error {
	text, err := os.ReadFile(doc)
	if err != nil {
		return err
	}
	if len(models) > 0 {
		var b bytes.Buffer
		if err := benchreport.Markdown(&b, single); err != nil {
			return err
		}
		b.WriteByte('\n')
		b.WriteString(links(doc, models))
		if text, err = section(text, "models", b.String()); err != nil {
			return fmt.Errorf("%s: %w", doc, err)
		}
	}
	if len(growth) > 0 {
		if text, err = section(text, "growth", links(doc, growth)); err != nil {
			return fmt.Errorf("%s: %w", doc, err)
		}
	}
	return os.WriteFile(doc, text, 0o666)
}

// insertFile puts a file's text into a section of a Markdown file.
func insertFile(doc, name, file string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(doc)
	if err != nil {
		return err
	}
	if text, err = section(text, name, string(body)); err != nil {
		return fmt.Errorf("%s: %w", doc, err)
	}
	return os.WriteFile(doc, text, 0o666)
}

// section returns a text in which the lines between <!-- NAME --> and <!-- end --> are replaced by
// the string body. NAME is the parameter name.
func section(text []byte, name, body string) ([]byte, error) {
	begin := []byte("<!-- " + name + " -->\n")
	before, rest, ok := bytes.Cut(text, begin)
	if !ok {
		return nil, fmt.Errorf("there is no line %s", bytes.TrimSpace(begin))
	}
	_, after, ok := bytes.Cut(rest, []byte("<!-- end -->\n"))
	if !ok {
		return nil, fmt.Errorf("the section %s does not end", name)
	}
	return bytes.Join([][]byte{before, begin, []byte("\n" + strings.TrimSpace(body) + "\n\n<!-- end -->\n"), after}, nil), nil
}

// links returns Markdown for the file doc that shows the pictures. Their paths are relative to the
// folder of doc.
func links(doc string, pictures []string) string {
	var b strings.Builder
	for _, p := range pictures {
		rel, err := filepath.Rel(filepath.Dir(doc), p)
		if err != nil {
			rel = p
		}
		name := strings.TrimSuffix(filepath.Base(p), filepath.Ext(p))
		fmt.Fprintf(&b, "![%s](%s)\n", strings.ReplaceAll(name, "-", " "), filepath.ToSlash(rel))
	}
	return b.String()
}
