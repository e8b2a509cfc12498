package install

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// clone is a git repository with two commits. The first has the files of the working tree and the
// tag v0.1.0. The second has no changes and no tag.
type clone struct {
	dir    string
	commit string // the full hash of the second commit
}

func newClone(t *testing.T) *clone {
	t.Helper()
	c := &clone{dir: filepath.Join(t.TempDir(), "graphc")}
	for _, f := range workingTree(t) {
		c.copy(t, f)
	}
	c.git(t, "init", "--quiet")
	c.git(t, "add", "--all", "--force")
	c.git(t, "commit", "--quiet", "--message", "one")
	c.git(t, "tag", "v0.1.0")
	c.git(t, "commit", "--quiet", "--allow-empty", "--message", "two")
	c.commit = c.git(t, "rev-parse", "HEAD")
	return c
}

// copy copies a file of the working tree.
func (c *clone) copy(t *testing.T, f sourceFile) {
	t.Helper()
	to := filepath.Join(c.dir, filepath.FromSlash(f.name))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		t.Fatal(err)
	}
	info, err := f.Lstat()
	if err != nil {
		t.Fatal(err)
	}
	in, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// git runs git in the clone and returns its output.
func (c *clone) git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false"}, args...)...)
	cmd.Dir = c.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commitTime returns the time of a revision.
func commitTime(t *testing.T, repo, revision string) time.Time {
	t.Helper()
	c := &clone{dir: repo}
	at, err := time.Parse(time.RFC3339, c.git(t, "log", "-1", "--format=%cI", revision))
	if err != nil {
		t.Fatal(err)
	}
	return at.UTC()
}
