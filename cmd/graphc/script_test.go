package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/rt/npy"
	"github.com/graphc/graphc/rt/tensor"
)

var update = flag.Bool("update", false, "rewrite scripts' expected output")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"graphc": func() { os.Exit(Main()) }})
}

// TestScript runs the scripts testdata/script/*.txtar, which call the whole tool. Besides
// testscript's own commands, the scripts can use
//
//	exits CODE COMMAND ARG…       runs a command that must exit with CODE
//	npz FILE NAME=[[1,2],[3,4]]…  writes an .npz file of float32 arrays; NAME:i32=… of int32
//
// and the condition [long], which is true if long tests are enabled.
func TestScript(t *testing.T) {
	root := testkit.Root(t)
	cache, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs := strings.Fields(string(cache))
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Condition: func(cond string) (bool, error) {
			if cond == "long" {
				return testkit.Long(), nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("GRAPHC_ROOT", root)
			e.Setenv("GOCACHE", dirs[0])
			e.Setenv("GOMODCACHE", dirs[1])
			e.Setenv("GOFLAGS", "-mod=mod")
			e.Setenv("GOPROXY", "off")
			e.Setenv("HOME", e.WorkDir)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": cmdExits, "npz": cmdNpz},
	})
}

func TestDoubleDash(t *testing.T) {
	args := doubleDash(newRoot(&base.App{}), []string{"verify", "-exec", "-j", "2", "-timeout=3s", "--noopt", "-x", "-", "--", "-exec"})
	if got := strings.Join(args, " "); got != "verify --exec -j 2 --timeout=3s --noopt -x - -- -exec" {
		t.Error(got)
	}
}

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var ee *exec.ExitError
	switch {
	case errors.As(err, &ee):
		got = ee.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func cmdNpz(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: npz FILE NAME=JSON…")
	}
	m := map[string]*tensor.Tensor{}
	for _, a := range args[1:] {
		name, text, ok := strings.Cut(a, "=")
		if !ok {
			ts.Fatalf("%s: want NAME=JSON", a)
		}
		var v any
		ts.Check(json.Unmarshal([]byte(text), &v))
		name, isInt := strings.CutSuffix(name, ":i32")
		t := &tensor.Tensor{DType: tensor.Float32}
		var data []float32
		flatten(v, 0, t, &data)
		t.Data = data
		if isInt {
			ints := make([]int32, len(data))
			for i, f := range data {
				ints[i] = int32(f)
			}
			t.DType, t.Data = tensor.Int32, ints
		}
		m[name] = t
	}
	ts.Check(npy.WriteZip(ts.MkAbs(args[0]), m))
}

// flatten appends the numbers of nested lists to data, and sets t.Shape to the shape of the lists.
func flatten(v any, depth int, t *tensor.Tensor, data *[]float32) {
	switch v := v.(type) {
	case float64:
		*data = append(*data, float32(v))
	case []any:
		if len(t.Shape) == depth {
			t.Shape = append(t.Shape, len(v))
		}
		for _, e := range v {
			flatten(e, depth+1, t, data)
		}
	}
}
