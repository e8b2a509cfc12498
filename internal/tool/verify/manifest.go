package verify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// manifest emits the packages of the cases without building them, and writes the file that the flag
// --manifest names. This file has one line for each case: the SHA-256 of the package's files, or
// "refused", and then the path of the case. Its contents change only if emitted code changes.
func (e *emitted) manifest(ctx context.Context) error {
	var lines []string
	for start := 0; start < len(e.cases) && ctx.Err() == nil; start += e.Chunk {
		end := min(start+e.Chunk, len(e.cases))
		if err := e.compile(ctx, start, end); err != nil {
			return err
		}
		for i := start; i < end; i++ {
			sum := "refused"
			if reply := e.replies[i]; reply != nil {
				folder := filepath.Join(e.dir, "check", reply.Package)
				var err error
				if sum, err = sumOf(folder, reply.Package); err != nil {
					return err
				}
				if e.Keep == "" {
					if err := os.RemoveAll(folder); err != nil {
						return err
					}
				}
				e.r.set(i, outcome{status: "ok"})
			}
			lines = append(lines, sum+"  "+filepath.ToSlash(e.cases[i].Path)+"\n")
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	slices.SortFunc(lines, func(a, b string) int {
		_, p, _ := strings.Cut(a, "  ")
		_, q, _ := strings.Cut(b, "  ")
		return strings.Compare(p, q)
	})
	return os.WriteFile(e.Sums, []byte(strings.Join(lines, "")), 0o666)
}

// sumOf returns the SHA-256 of the names and contents of a package's files, in hexadecimal. It
// first replaces the name of the package by "p", because this name contains the number of the case.
func sumOf(folder, name string) (string, error) {
	own := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
	h := sha256.New()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, ".go") {
			text = own.ReplaceAll(text, []byte("p"))
		}
		file := strings.ReplaceAll(filepath.ToSlash(rel), name, "p")
		fmt.Fprintf(h, "%s %d\n", file, len(text))
		_, err = bytes.NewReader(text).WriteTo(h)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}
