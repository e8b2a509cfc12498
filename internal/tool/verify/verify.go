package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/casebuild"
)

// Flags are the flags of `graphc verify`.
type Flags struct {
	casebuild.Options
	Exec, JSON  bool
	Jobs, Chunk int
	Timeout     time.Duration
	Match       string
	Keep        string
	Sums        string // path of the file that --manifest writes
}

// outcome is the result of one case.
type outcome struct {
	status string // ok, FAIL or SKIP
	reason string
	time   time.Duration
	// peakKB is the peak memory in KiB that the worker process used for the case, and cpuMS its
	// processor time in milliseconds. The field refusal is the compile error of the case, or "".
	peakKB, cpuMS int
	refusal       string
}

// Run verifies all cases in the folders, and prints one line for each case.
func Run(ctx context.Context, a *base.App, f Flags, dirs []string) error {
	if f.Exec && f.Sums != "" {
		return base.Usagef("--manifest needs emitted packages: omit --exec")
	}
	if f.Jobs < 1 || f.Chunk < 1 || f.Timeout <= 0 {
		return base.Usagef("--jobs, --chunk and --timeout must be positive")
	}
	if err := errors.Join(f.Devices.Apply(&graphc.Options{}, a.Err), f.Passes.Apply(&graphc.Options{})); err != nil {
		return err
	}
	ctx = f.Devices.ForGPUs(ctx, "sim")
	cs, err := cases.Find(dirs)
	if err != nil {
		return &base.CodeError{Code: base.ExitUsage, Err: err}
	}
	if f.Match != "" {
		re, err := regexp.Compile(f.Match)
		if err != nil {
			return base.Usagef("--match: %w", err)
		}
		all := cs
		cs = nil
		for _, c := range all {
			if re.MatchString(filepath.ToSlash(c.Path)) || re.MatchString(c.Rel) {
				cs = append(cs, c)
			}
		}
	}
	r := newReporter(a, cs, f.JSON)
	switch {
	case f.Exec:
		err = verifyExec(ctx, f, cs, r)
	default:
		err = verifyEmitted(ctx, a, f, cs, r)
	}
	return errors.Join(err, r.finish(ctx))
}

// reporter prints the outcomes in the order of the cases. It prints an outcome when those of all
// earlier cases are known.
type reporter struct {
	a       *base.App
	cases   []*cases.Case
	json    bool
	bar     *base.Bar
	got     []*outcome
	printed int
	count   map[string]int
	open    int
	failed  error // the first error of writing a line
}

func newReporter(a *base.App, cs []*cases.Case, json bool) *reporter {
	return &reporter{a: a, cases: cs, json: json, bar: a.NewBar(len(cs), "verify"),
		got: make([]*outcome, len(cs)), count: map[string]int{}, open: len(cs)}
}

// set stores the outcome of case i and prints all outcomes that can now be printed. If the case has
// an outcome already, set does nothing.
func (r *reporter) set(i int, o outcome) {
	if r.got[i] != nil {
		return
	}
	r.got[i] = &o
	r.open--
	r.count[o.status]++
	r.bar.Add(1)
	for r.printed < len(r.got) && r.got[r.printed] != nil {
		r.print(r.printed)
		r.printed++
	}
}

func (r *reporter) print(i int) {
	o, path := r.got[i], filepath.ToSlash(r.cases[i].Path)
	r.bar.Clear()
	if r.json {
		line := map[string]any{"status": o.status, "path": path, "reason": o.reason, "ms": o.time.Milliseconds()}
		if o.peakKB > 0 {
			line["peak_kb"], line["cpu_ms"] = o.peakKB, o.cpuMS
		}
		if o.refusal != "" {
			line["refusal"] = o.refusal
		}
		data, err := json.Marshal(line)
		if err == nil {
			r.line("%s", data)
		}
		return
	}
	line := o.status + " " + path
	if o.reason != "" {
		line += " " + strings.Join(strings.Fields(o.reason), " ")
	}
	r.line("%s", line)
}

// line prints a line. If this fails for the first time, line stores the error in r.failed.
func (r *reporter) line(format string, args ...any) {
	if _, err := fmt.Fprintf(r.a.Out, format+"\n", args...); r.failed == nil {
		r.failed = err
	}
}

// finish gives the outcome SKIP to all cases without an outcome, and prints the number of cases
// with each outcome. If a case has failed, the context is done or a line could not be printed, it
// returns an error.
func (r *reporter) finish(ctx context.Context) error {
	for i := range r.got {
		if r.got[i] == nil {
			reason := "not reached"
			if ctx.Err() != nil {
				reason = "interrupted"
			}
			r.set(i, outcome{status: "SKIP", reason: reason})
		}
	}
	r.bar.Close()
	if r.json {
		r.line(`{"passed":%d,"failed":%d,"skipped":%d}`, r.count["ok"], r.count["FAIL"], r.count["SKIP"])
	} else {
		r.line("%d passed, %d failed, %d skipped", r.count["ok"], r.count["FAIL"], r.count["SKIP"])
	}
	if r.count["FAIL"] > 0 || ctx.Err() != nil {
		return &base.CodeError{Code: base.ExitFailure}
	}
	return r.failed
}
