// Command archive maintains the zip archives of recorded cases in testdata/cases.
//
//	archive add ARCHIVE FOLDER…      adds case folders, or replaces those of the same name
//	archive remove ARCHIVE NAME…     removes cases
//	archive list ARCHIVE…            prints the names of the cases
//	archive extract ARCHIVE DIR      writes all files below DIR
//
// A case's name in an archive is Op/name, the last two elements of its folder's path, unless the
// flag --name sets it. The same files give the same bytes.
package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphc/graphc/internal/cases"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "archive:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: archive add ARCHIVE [--name NAME] FOLDER… | remove ARCHIVE NAME… | list ARCHIVE… | extract ARCHIVE DIR")

func run(args []string, out io.Writer) error {
	if len(args) < 2 {
		return errUsage
	}
	archive, rest := args[1], args[2:]
	switch {
	case args[0] == "extract" && len(rest) == 1:
		return cases.Extract(archive, rest[0])
	case args[0] == "list":
		for _, a := range args[1:] {
			files, err := read(a)
			if err != nil {
				return err
			}
			for _, name := range names(files) {
				fmt.Fprintln(out, name)
			}
		}
		return nil
	case args[0] == "remove" && len(rest) > 0:
		files, err := read(archive)
		if err != nil {
			return err
		}
		for _, name := range rest {
			if !remove(files, name) {
				return fmt.Errorf("%s: no case %s", archive, name)
			}
		}
		return write(archive, files)
	case args[0] == "add":
		return add(archive, rest)
	}
	return errUsage
}

func add(archive string, args []string) error {
	set := flag.NewFlagSet("add", flag.ContinueOnError)
	as := set.String("name", "", "the case's `name` in the archive")
	if err := set.Parse(args); err != nil {
		return err
	}
	if set.NArg() == 0 || *as != "" && set.NArg() > 1 {
		return errUsage
	}
	files, err := read(archive)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if files == nil {
		files = map[string][]byte{}
	}
	for _, folder := range set.Args() {
		if _, err := cases.Load(folder); err != nil {
			return err
		}
		abs, err := filepath.Abs(folder)
		if err != nil {
			return err
		}
		name := *as
		if name == "" {
			name = path.Join(filepath.Base(filepath.Dir(abs)), filepath.Base(abs))
		}
		remove(files, name)
		err = filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(folder, p)
			if err != nil {
				return err
			}
			data, err := os.ReadFile(p)
			files[path.Join(name, filepath.ToSlash(rel))] = data
			return err
		})
		if err != nil {
			return err
		}
	}
	return write(archive, files)
}

// names returns the cases in an archive's files.
func names(files map[string][]byte) []string {
	var out []string
	for f := range files {
		if path.Base(f) == "case.json" {
			out = append(out, path.Dir(f))
		}
	}
	slices.Sort(out)
	return out
}

// remove deletes a case's files and reports whether there were any.
func remove(files map[string][]byte, name string) bool {
	n := len(files)
	maps.DeleteFunc(files, func(f string, _ []byte) bool { return strings.HasPrefix(f, name+"/") })
	return len(files) < n
}

// read returns an archive's files by name.
func read(archive string) (map[string][]byte, error) {
	if _, err := os.Stat(archive); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "graphc-archive")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := cases.Extract(archive, dir); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(p)
		files[filepath.ToSlash(rel)] = data
		return err
	})
	return files, err
}

// write replaces the archive. It stores the files in the order of their names, without times, with
// the best compression.
func write(archive string, files map[string][]byte) error {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return err
		}
		if _, err := w.Write(files[name]); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	tmp := archive + ".tmp"
	if err := os.WriteFile(tmp, b.Bytes(), 0o666); err != nil {
		return err
	}
	return os.Rename(tmp, archive)
}
