package timing

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/casebuild"
)

// Build builds a program in dir that runs case c and measures its own run times. It returns the
// path of the executable. If the function edit is not nil, Build calls it to change the emitted
// sources.
func Build(ctx context.Context, c *cases.Case, p *pipeline.Program, dir string, edit func(files map[string][]byte) error) (string, error) {
	files, err := casebuild.EmitPackage("model", c, p, false)
	if err != nil {
		return "", err
	}
	if edit != nil {
		if err := edit(files); err != nil {
			return "", err
		}
	}
	if err := casebuild.WriteFiles(filepath.Join(dir, "check", "model"), files); err != nil {
		return "", err
	}
	if err := casebuild.WriteMain(filepath.Join(dir, "check", "bench"), []string{"model"}, `os.Exit(table.Bench("model", os.Args[1:]))`); err != nil {
		return "", err
	}
	exe := filepath.Join(dir, "bench.exe")
	return exe, base.GoRun(ctx, dir, true, "build", "-trimpath", "-o", exe, "./check/bench")
}

// OpTimes starts the program exe and measures it for the given length of time. For a third of this
// time, it measures whole runs, and returns the time of the fastest one, in microseconds, as its
// second result. For the rest, it measures each call, and returns these times as its first result.
func OpTimes(ctx context.Context, exe, dir string, threads int, length time.Duration, env ...string) (o caserun.Ops, run, maxErr float64, err error) {
	t, err := Start(ctx, exe, dir, threads, env...)
	if err != nil {
		return o, 0, 0, err
	}
	var burst caserun.Burst
	err = t.Ask(&burst, "burst %d", length.Milliseconds()/3)
	if err == nil {
		err = t.Ask(&o, "ops %d", length.Milliseconds()*2/3)
	}
	if err := t.End(err); err != nil {
		return o, 0, 0, err
	}
	return o, float64(slices.Min(burst.NS)) / 1e3, t.Ready.MaxErr, nil
}
