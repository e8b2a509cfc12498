package passes

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
)

// rewriteRows reads the table in docs/rewrites.md. In the returned map, the key is the number of a
// rewrite, and the value holds the name, passes, note and tests of that rewrite.
func rewriteRows(t *testing.T) map[string][4]string {
	t.Helper()
	text, err := os.ReadFile("../docs/rewrites.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][4]string{}
	for _, l := range strings.Split(string(text), "\n") {
		c := strings.Split(l, "|")
		if len(c) != 7 || !strings.HasPrefix(c[1], " rw-") {
			continue
		}
		id := strings.TrimSpace(c[1])
		if _, twice := rows[id]; twice {
			t.Errorf("%s stands twice in the table", id)
		}
		rows[id] = [4]string{strings.TrimSpace(c[2]), strings.TrimSpace(c[3]), strings.TrimSpace(c[4]), strings.TrimSpace(c[5])}
	}
	return rows
}

var quoted = regexp.MustCompile("`([^`]*)`")

// TestRewrites: every pass and test that docs/rewrites.md names exists. If no pass does a rewrite,
// the row of the rewrite states a reason; otherwise the row names a test.
func TestRewrites(t *testing.T) {
	names := map[string]bool{}
	for _, p := range Table() {
		names[p.Name] = true
	}
	rows := rewriteRows(t)
	if len(rows) < 160 {
		t.Errorf("the table has %d rows", len(rows))
	}
	for id, r := range rows {
		passes := quoted.FindAllStringSubmatch(r[1], -1)
		for _, p := range passes {
			if !names[p[1]] {
				t.Errorf("%s: unknown pass %q", id, p[1])
			}
		}
		tests := quoted.FindAllStringSubmatch(r[3], -1)
		for _, f := range tests {
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(f[1]))); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
		switch {
		case len(passes) > 0 && len(tests) == 0:
			t.Errorf("%s: nothing shows what its passes do", id)
		case len(passes) == 0 && (r[1] != "none" || r[2] == ""):
			t.Errorf("%s: nothing says why no pass does it", id)
		}
	}
}

// TestRewritesShared: every rewrite listed in the shared file rewrites.json has a row in
// docs/rewrites.md.
func TestRewritesShared(t *testing.T) {
	text, err := os.ReadFile(testkit.NeedShared(t, "passes", "rewrites.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Rewrites []struct{ ID, Name string }
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	rows := rewriteRows(t)
	for _, r := range list.Rewrites {
		if row, ok := rows[r.ID]; !ok || row[0] != r.Name {
			t.Errorf("%s (%s) has no row", r.ID, r.Name)
		}
	}
}
