package timing

import (
	"regexp"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/internal/tool/casebuild"
)

func TestTimeFile(t *testing.T) {
	const src = `// Package model is emitted.
package model

import "fmt"

func runSteps0(s *runState) error {
	var err error
	// "a" Add
	s.At(0)
	add(s.D)
	s.At(step + 3)
	s.Par(runLoop0, nil, 3, rt.Split{})
	if err != nil {
		return err
	}
	t.Step = 2
	return nil
}

func runLoop0(s *runState, t []int, lo, n int, m []byte) {
	a := s.Arena
	// "b" Mul
	mul(
		a[lo:],
	)
	copy(a, a)
}

func other(lo, n int) { fmt.Println() }
`
	got, err := timeFile("m.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	want := src
	for _, r := range [][2]string{
		{"package model\n", "package model\n\nimport graphcClock \"github.com/graphc/graphc/internal/caserun\"\n"},
		{"s.At(0)", "s.At(0); graphcClock.Step(s.Step)"},
		{"s.At(step + 3)", "s.At(step + 3); graphcClock.Step(s.Step)"},
		{"\tmul(\n", "\tgraphcClock.Call(s.Step, 0); mul(\n"},
		{"\tcopy(", "\tgraphcClock.Call(s.Step, 1); copy("},
	} {
		want = strings.Replace(want, r[0], r[1], 1)
	}
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if _, err := timeFile("m.go", []byte("package")); err == nil {
		t.Error("a source that is none was changed")
	}
	if err := Steps(map[string][]byte{"m.go": []byte("package m\n"), "w.bin": nil}); err == nil {
		t.Error("sources without steps were taken")
	}
}

// TestSteps: in the emitted sources of recorded cases, the calls of each loop are timed.
func TestSteps(t *testing.T) {
	cs, err := cases.Find(testkit.Sample(t))
	if err != nil {
		t.Fatal(err)
	}
	loop := regexp.MustCompile(`(?ms)^func \w+Loop\d+\(.*?^}`)
	call := regexp.MustCompile(`(?m)^\t(graphcClock\.Call\(s\.Step, \d+\); )?[a-z]+\.[A-Z]\w*\(`)
	loops := 0
	for _, c := range cs {
		if c.Err != nil || c.ExpectErr {
			continue
		}
		p, _, err := casebuild.Options{}.Compiler(c).Compile(1)
		if err != nil {
			continue // the tests that compile the cases report this error
		}
		files, err := casebuild.EmitPackage("model", c, p, false)
		if err != nil {
			t.Fatalf("%s: %v", c.Dir, err)
		}
		if err := Steps(files); err != nil {
			continue // Steps returns an error for a program without steps
		}
		for name, text := range files {
			for _, body := range loop.FindAllString(string(text), -1) {
				loops++
				for _, m := range call.FindAllStringSubmatch(body, -1) {
					if m[1] == "" {
						t.Errorf("%s: %s: a call is not timed:\n%s", c.Dir, name, body)
					}
				}
			}
		}
	}
	if loops < 50 {
		t.Errorf("the cases have %d loops", loops)
	}
}
