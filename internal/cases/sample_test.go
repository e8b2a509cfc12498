package cases

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// maxSampleArchive is the maximum size in bytes of an archive in testdata/cases, which is stored in
// git.
const maxSampleArchive = 256 << 10

// TestSampleArchives: the archives of testdata/cases are small, all cases can be read, and their
// names are unique.
func TestSampleArchives(t *testing.T) {
	root := filepath.Join("..", "..", "testdata", "cases")
	archives, err := filepath.Glob(filepath.Join(root, "*", "*.zip"))
	if err != nil || len(archives) == 0 {
		t.Fatal(len(archives), err)
	}
	for _, a := range archives {
		if st, err := os.Stat(a); err != nil || st.Size() > maxSampleArchive {
			t.Errorf("%s has %d bytes, at most %d are allowed (%v)", a, st.Size(), maxSampleArchive, err)
		}
	}
	all, err := Find([]string{root})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range all {
		// A few hostile cases have a valid case.json and lack a model.
		if c.Err != nil && !strings.HasPrefix(c.Rel, "hostile/") {
			t.Error(c.Err)
		}
		if seen[c.Rel] {
			t.Errorf("%s is there twice", c.Rel)
		}
		seen[c.Rel] = true
	}
}
