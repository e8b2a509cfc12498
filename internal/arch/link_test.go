package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/emitted"
	"github.com/graphc/graphc/internal/testkit"
)

// unneeded returns what matches the functions that a program for one device, without tasks, runs in steps
// and traces has no use for, and those of more packages of the run time.
func unneeded(more ...string) *regexp.Regexp {
	pkgs := strings.Join(append(more, "rendezvous", "device", "device/devvar", "parts", "devwork", "trace"), "|")
	return regexp.MustCompile("^" + regexp.QuoteMeta(module) + `/rt(/(` + pkgs + `)\.|\.(\(\*)?(RunTasks|taskRun))`)
}

// TestProgramsLinkWhatTheyNeed: the programs of models for one device contain no code
// that joins partitions, works on devices, runs tasks or observes runs; those of models without
// variables none that writes checkpoints or keeps resources either. Comparisons that the compiler
// makes of types are not that code.
func TestProgramsLinkWhatTheyNeed(t *testing.T) {
	testkit.NeedLong(t)
	symbols := func(pkg string, not *regexp.Regexp, flags ...string) (needed int, more []string) {
		exe := filepath.Join(t.TempDir(), "program")
		build := exec.Command("go", append(append([]string{"build", "-o", exe}, flags...), pkg)...)
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
			case not.MatchString(name):
				more = append(more, name)
			case strings.HasPrefix(name, module+"/rt.(*Pool["):
				needed++
			}
		}
		return needed, more
	}
	for _, p := range []struct {
		pkg   string
		not   *regexp.Regexp
		flags []string
	}{
		{module + "/examples/emotion", unneeded("save", "bundle", "resource", "files", "inflate"), nil},
		{module + "/examples/ownop", unneeded("save", "bundle", "resource", "files", "inflate"), nil},
		{module + "/examples/training", unneeded(), nil},
		{module + "/internal/arch/queue", unneeded(), queueProgram(t)},
	} {
		e := p.pkg
		needed, more := symbols(e, p.not, p.flags...)
		if needed == 0 {
			t.Errorf("%s: no symbol of rt.Pool, so the names say nothing", e)
		}
		if len(more) > 0 {
			t.Errorf("%s links %d functions it does not need:\n%s", e, len(more), strings.Join(more, "\n"))
		}
	}
	// Programs that trace do have some.
	if _, more := symbols(module+"/cmd/graphc", unneeded()); len(more) == 0 {
		t.Error("the compiler, which runs plans in parts, links none either")
	}
}

// queue is a program whose runs wait: their contexts are those of parts too.
const queue = `package main

import (
	"context"

	"` + module + `/internal/hammer/model"
)

func main() {
	m, err := model.New()
	if err != nil {
		panic(err)
	}
	_, put := m.Put(context.Background(), model.PutInput{})
	_, take := m.Take(context.Background(), model.TakeInput{})
	println(put, take)
}
`

// queueProgram returns the flags with which the program in the folder queue is built,
// which is not there: it and the package that it imports come from an overlay.
func queueProgram(t *testing.T) []string {
	dir := t.TempDir()
	r, err := emitted.Generate(testkit.Root(t), testkit.Tool(t), dir, "internal/hammer")
	if err != nil {
		t.Fatal(err)
	}
	place, err := filepath.Abs(filepath.Join("queue", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	r[place] = filepath.Join(dir, "main.go")
	if err := os.WriteFile(r[place], []byte(queue), 0o666); err != nil {
		t.Fatal(err)
	}
	flags, err := r.Flags(dir)
	if err != nil {
		t.Fatal(err)
	}
	return flags
}
