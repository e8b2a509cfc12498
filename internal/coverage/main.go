// Coverage prints, for each package, the fraction of statements that at least one of several
// coverage profiles covers. See make cover.
//
//	coverage [-without REGEXP] [-files N] PROFILE…
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/tools/cover"
)

func main() {
	without := flag.String("without", "^$", "leave out files whose names fit this regular expression")
	files := flag.Int("files", 0, "list this many files, too: those with most statements that are not covered")
	flag.Parse()
	if err := run(os.Stdout, *without, *files, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "coverage:", err)
		os.Exit(1)
	}
}

// count has the numbers of statements of a file or package: all of them, and those that ran.
type count struct {
	name     string
	all, ran int
}

func (c *count) open() int { return c.all - c.ran }

func run(w io.Writer, without string, files int, profiles []string) error {
	leave, err := regexp.Compile(without)
	if err != nil {
		return err
	}
	// ran[file][block] says whether the block ran. The block's field Count is set to 0, so that a
	// block has the same key in all profiles.
	ran := map[string]map[cover.ProfileBlock]bool{}
	for _, name := range profiles {
		ps, err := cover.ParseProfiles(name)
		if err != nil {
			return err
		}
		for _, p := range ps {
			if leave.MatchString(p.FileName) {
				continue
			}
			if ran[p.FileName] == nil {
				ran[p.FileName] = map[cover.ProfileBlock]bool{}
			}
			for _, b := range p.Blocks {
				once := b.Count > 0
				b.Count = 0
				ran[p.FileName][b] = ran[p.FileName][b] || once
			}
		}
	}
	byFile, byPackage, total := map[string]*count{}, map[string]*count{}, &count{name: "all"}
	for file, blocks := range ran {
		dir := path.Dir(file)
		if byPackage[dir] == nil {
			byPackage[dir] = &count{name: dir}
		}
		byFile[file] = &count{name: file}
		for b, once := range blocks {
			for _, c := range []*count{byFile[file], byPackage[dir], total} {
				if c.all += b.NumStmt; once {
					c.ran += b.NumStmt
				}
			}
		}
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, c := range append(sorted(byPackage), total) {
		line(t, c)
	}
	for _, c := range sorted(byFile)[:min(files, len(byFile))] {
		line(t, c)
	}
	return t.Flush()
}

func line(w io.Writer, c *count) {
	fmt.Fprintf(w, "%.1f %%\t%d of %d\t%s\n", 100*float64(c.ran)/float64(max(c.all, 1)), c.ran, c.all, c.name)
}

// sorted returns the counts, ordered by descending number of statements that did not run.
func sorted(m map[string]*count) []*count {
	var list []*count
	for _, c := range m {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *count) int {
		return cmp.Or(b.open()-a.open(), strings.Compare(a.name, b.name))
	})
	return list
}
