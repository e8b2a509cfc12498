package files

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// Match fails if it would return more than maxMatches names or read more than maxLooked directory
// entries.
const (
	maxMatches = 1 << 20
	maxLooked  = 1 << 22
)

// Match returns the sorted names of the files below root that match a pattern. For an absolute
// pattern, the names are absolute. *, ? and […] match parts of a name between slashes. The error is
// PermissionDenied for a pattern that leads out of root. If the pattern is malformed or no file
// matches it, the result is empty and there is no error.
func Match(root *os.Root, pattern string) ([]string, error) {
	local, err := Local(root, pattern)
	if err != nil {
		return nil, err
	}
	if !strings.ContainsAny(local, wild) {
		if _, err := root.Stat(local); err != nil {
			return nil, nil
		}
		return []string{pattern}, nil
	}
	front := "" // the path of root, with which an absolute pattern begins
	if filepath.IsAbs(pattern) {
		front = strings.TrimSuffix(filepath.ToSlash(filepath.Clean(pattern)), filepath.ToSlash(local))
	}
	local = strings.ReplaceAll(local, "[!", "[^") // a pattern may begin a set of excluded characters with [! or [^
	m := &matcher{root: root, maxMatches: maxMatches, maxLooked: maxLooked}
	if err := m.in(".", strings.Split(filepath.ToSlash(local), "/")); err != nil {
		return nil, err
	}
	for i, name := range m.found {
		m.found[i] = front + name
	}
	slices.Sort(m.found)
	return m.found, nil
}

// wild are the special characters of a pattern.
const wild = `*?[\`

type matcher struct {
	root                  *os.Root
	maxMatches, maxLooked int
	found                 []string
	looked                int
}

// in is called with a directory and the elements of a pattern. It finds the names in the directory
// that match the first element. If there are further elements, it matches them in each directory
// that it has found.
func (m *matcher) in(dir string, parts []string) error {
	if !strings.ContainsAny(parts[0], wild) {
		name := path.Join(dir, parts[0])
		if _, err := m.root.Stat(name); err != nil {
			return nil
		}
		return m.add(name, parts)
	}
	d, err := m.root.Open(dir)
	if err != nil {
		return nil // not a readable directory
	}
	defer d.Close()
	for {
		entries, err := d.ReadDir(1024)
		for _, e := range entries {
			if m.looked++; m.looked > m.maxLooked {
				return tensor.Errorf(tensor.ResourceExhausted, "the pattern looks at more than %d files", m.maxLooked)
			}
			if ok, _ := path.Match(parts[0], e.Name()); !ok {
				continue
			}
			if len(parts) > 1 && !e.IsDir() && e.Type()&fs.ModeSymlink == 0 {
				continue
			}
			if err := m.add(path.Join(dir, e.Name()), parts); err != nil {
				return err
			}
		}
		if err != nil || len(entries) == 0 {
			return nil
		}
	}
}

func (m *matcher) add(name string, parts []string) error {
	if len(parts) > 1 {
		return m.in(name, parts[1:])
	}
	if len(m.found) >= m.maxMatches {
		return tensor.Errorf(tensor.ResourceExhausted, "the pattern matches more than %d files", m.maxMatches)
	}
	m.found = append(m.found, name)
	return nil
}
