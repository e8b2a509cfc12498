package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun: a block that any profile ran is covered, and files can be excluded.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for i, text := range []string{
		"mode: set\nm/a/x.go:1.1,3.2 4 1\nm/a/x.go:5.1,6.2 1 0\nm/a/y.go:1.1,2.2 5 0\nm/pb/z.go:1.1,2.2 9 0\n",
		"mode: count\nm/a/x.go:5.1,6.2 1 7\nm/a/x.go:1.1,3.2 4 0\nm/b/v.go:1.1,2.2 2 0\n",
	} {
		name := filepath.Join(dir, string(rune('a'+i)))
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	var out strings.Builder
	if err := run(&out, "/pb/", 1, names); err != nil {
		t.Fatal(err)
	}
	want := "50.0 %  5 of 10  m/a\n0.0 %   0 of 2   m/b\n41.7 %  5 of 12  all\n0.0 %   0 of 5   m/a/y.go\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	for _, bad := range [][]string{{"(", names[0]}, {"", filepath.Join(dir, "none")}} {
		if err := run(&out, bad[0], 0, bad[1:]); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}
