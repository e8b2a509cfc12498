package corpus

import (
	"os"
	"os/exec"
	"testing"

	"github.com/graphc/graphc/internal/emitted"
	"github.com/graphc/graphc/internal/testkit"
)

// TestEmitted emits the packages that tests of emitted programs import, and runs those tests. The
// stress tests in internal/hammer run only if long tests are enabled.
func TestEmitted(t *testing.T) {
	sources(t)
	root, dir := testkit.Root(t), t.TempDir()
	folders := []string{"internal/behaviours", "internal/partial", "internal/accelerated"}
	if testkit.Long() {
		folders = emitted.Folders
	}
	r, err := emitted.Generate(root, testkit.Tool(t), dir, folders...)
	if err != nil {
		t.Fatal(err)
	}
	flags, err := r.Flags(dir)
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"test", "-count=1"}, flags...)
	data := testkit.CoverDir()
	if data != "" {
		args = append(args, "-cover", "-coverpkg=./rt/...,./kernels/...")
	}
	for _, f := range folders {
		args = append(args, "./"+f)
	}
	if data != "" {
		args = append(args, "-args", "-test.gocoverdir="+data)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = root, os.Environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("go %v: %v\n%s", args, err, out)
	}
	t.Logf("%s", out)
}
