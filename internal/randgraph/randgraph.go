// Package randgraph verifies random graphs: batches of cases that generate.py recorded with
// TensorFlow, and graphs drawn from bytes, whose results with and without the optional passes must
// agree.
package randgraph

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Mode is a way to run cases. Args are the flags of graphc verify that select it.
type Mode struct {
	Name string
	Args []string
}

// Modes lists the three modes.
var Modes = []Mode{
	{"exec", []string{"--exec"}},
	{"noopt", []string{"--exec", "--noopt"}},
	{"emitted", nil},
}

// Verdict is the result of graphc verify for a case.
type Verdict struct {
	Path, Status, Reason string
	Refusal              string // compile error
	CPUMS                int    `json:"cpu_ms"`
	PeakKB               int    `json:"peak_kb"`
}

// Verify runs "graphc verify" on the cases below dirs and returns the verdicts. The parameter tool
// is the path of graphc, and args are flags in addition to those of the mode.
func Verify(ctx context.Context, tool string, m Mode, args []string, dirs ...string) ([]Verdict, error) {
	cmd := exec.CommandContext(ctx, tool, append(append(append([]string{"verify", "--json"}, m.Args...), args...), dirs...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if e, ok := err.(*exec.ExitError); err != nil && (!ok || e.ExitCode() != 1) {
		return nil, fmt.Errorf("%s verify: %w\n%s", tool, err, stderr.Bytes())
	}
	var vs []Verdict
	s := bufio.NewScanner(bytes.NewReader(out))
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		var v Verdict
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%q: %w", s.Bytes(), err)
		}
		if v.Path != "" {
			vs = append(vs, v)
		}
	}
	if len(vs) == 0 {
		return nil, fmt.Errorf("%s verify reports no cases: %s", tool, strings.TrimSpace(stderr.String()))
	}
	return vs, s.Err()
}

// Ops returns the names of the ops in the graph of a case. They are listed in the file case.json in
// dir.
func Ops(dir string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "case.json"))
	if err != nil {
		return nil, err
	}
	var c struct {
		Ops []string `json:"ops"`
	}
	return c.Ops, json.Unmarshal(data, &c)
}
