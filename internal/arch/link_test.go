package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// unneeded are the functions that a program for one device, without tasks, runs in steps
// and traces has no use for.
var unneeded = regexp.MustCompile(regexp.QuoteMeta(module) + `/rt(/(rendezvous|device|trace)\.|\.(\(\*)?(RunTasks|taskRun|Parts|Turn|PartialOf|NewPartial))`)

// TestProgramsLinkWhatTheyNeed: the programs of models for one device contain no code
// that joins partitions, runs tasks or observes runs. Comparisons that the compiler
// makes of types are not that code.
func TestProgramsLinkWhatTheyNeed(t *testing.T) {
	symbols := func(pkg string) (needed int, more []string) {
		exe := filepath.Join(t.TempDir(), "program")
		build := exec.Command("go", "build", "-o", exe, pkg)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", pkg, err, out)
		}
		out, err := exec.Command("go", "tool", "nm", exe).Output()
		if err != nil {
			t.Fatalf("%s: %v", pkg, err)
		}
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(line)
			if len(fields) < 3 || fields[1] != "T" && fields[1] != "t" {
				continue
			}
			switch name := strings.Join(fields[2:], " "); {
			case strings.HasPrefix(name, "type:"):
			case unneeded.MatchString(name):
				more = append(more, name)
			case strings.HasPrefix(name, module+"/rt.(*Pool["):
				needed++
			}
		}
		return needed, more
	}
	for _, e := range []string{"emotion", "training"} {
		needed, more := symbols(module + "/examples/" + e)
		if needed == 0 {
			t.Errorf("%s: no symbol of rt.Pool, so the names say nothing", e)
		}
		if len(more) > 0 {
			t.Errorf("%s links %d functions it does not need:\n%s", e, len(more), strings.Join(more, "\n"))
		}
	}
	// Programs that trace do have some.
	if _, more := symbols(module + "/cmd/graphc"); len(more) == 0 {
		t.Error("the compiler, which runs plans in parts, links none either")
	}
}
