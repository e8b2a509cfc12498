package pipeline_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/rt/tensor"
)

// sessionRun is a run of a recorded case in a session.
type sessionRun struct {
	s   *pipeline.Session
	run cases.Run
}

// Run implements caserun.Runner.
func (r sessionRun) Run(ctx context.Context, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	return r.s.Run(ctx, feeds, r.run.Fetches, r.run.Targets)
}

// devicesOf returns the CPU devices that the tags of a case require.
func devicesOf(c *cases.Case) (devices []string) {
	for _, tag := range c.Features {
		var n int
		if _, err := fmt.Sscanf(tag, "devices-cpu-%d", &n); err == nil {
			for i := range n {
				devices = append(devices, fmt.Sprintf("cpu:%d", i))
			}
		}
	}
	return devices
}

// TestSessionCases runs recorded cases in a session, because TensorFlow recorded them in a session.
// Each run is compiled only after the runs before it have ended. A session first replaces calls by
// the bodies of functions, so the test also checks this replacement.
func TestSessionCases(t *testing.T) {
	corpora := []string{"features", "models", "passes"}
	dirs := testkit.Sample(t, corpora...)
	if testkit.Long() && cases.Shared() != "" {
		dirs = testkit.SharedCases(t, corpora...)
	}
	all, err := cases.Find(dirs)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	passed := 0
	for _, c := range all {
		if c.Err != nil || c.ExpectErr || c.ConfigPath != "" || len(c.Devices) > 0 {
			continue
		}
		o := pipeline.Options{AllowFiles: true, Devices: devicesOf(c)}
		m, err := pipeline.Load([]string{c.ModelPath}, frontend.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.Path, err)
			continue
		}
		s, err := pipeline.NewSession(ctx, m, o, nil, false)
		if err != nil {
			t.Errorf("%s: %v", c.Path, err)
			continue
		}
		err = caserun.Check(ctx, c, func(run int) (caserun.Runner, error) { return sessionRun{s, c.Runs[run]}, nil })
		if err != nil {
			t.Errorf("%s: %v", c.Path, err)
			continue
		}
		passed++
	}
	if passed < 50 {
		t.Errorf("only %d cases are run", passed)
	}
	t.Logf("%d cases of %d are run", passed, len(all))
}
