package timing

import "testing"

func TestSharing(t *testing.T) {
	const src = `package model

import "github.com/graphc/graphc/rt"

func runSteps0(s *runState) error {
	s.At(0)
	s.Par(runLoop0, nil, 3, rt.Split{})
	if err = rt.RunTasks(s, &runTasks0); err != nil {
		return err
	}
	t.Par(1)
	return nil
}
`
	const want = `package model

import graphcClock "github.com/graphc/graphc/internal/caserun"

import "github.com/graphc/graphc/rt"

func runSteps0(s *runState) error {
	s.At(0)
	graphcClock.Par(s, runLoop0, nil, 3, rt.Split{})
	if err = graphcClock.RunTasks(s, &runTasks0); err != nil {
		return err
	}
	t.Par(1)
	return nil
}

var _ rt.Split
`
	const other = "package model\n\nvar x = 1\n"
	files := map[string][]byte{"m.go": []byte(src), "w.bin": {1}, "x.go": []byte(other)}
	if err := Sharing(files); err != nil {
		t.Fatal(err)
	}
	if got := string(files["m.go"]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if string(files["x.go"]) != other || len(files["w.bin"]) != 1 {
		t.Error("a file without loops was changed")
	}
	if Sharing(map[string][]byte{"m.go": []byte("package")}) == nil {
		t.Error("a source that is none was changed")
	}
}
