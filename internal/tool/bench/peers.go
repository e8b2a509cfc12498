package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphc/graphc/internal/benchreport"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/casebuild"
)

// PeerFlags are the flags for comparing graphc with other runtimes, which are called peers.
type PeerFlags struct {
	Peers      []string
	Tool       string
	Execs      []string
	Rounds     int
	Burst      time.Duration
	Cache      string
	Timeout    time.Duration
	Pairwise   bool
	Busy       int
	Python     string
	PythonTF   string
	PythonPeer string
	PythonONNX string
	Out        string
}

// ToolVariable is the name of the environment variable that has the path of the script that times
// the peers.
const ToolVariable = "GRAPHC_BENCH_TOOL"

// check returns an error if flags are invalid, if a file does not exist, or if a program cannot be
// found.
func (f *PeerFlags) check() error {
	switch {
	case f.Tool == "":
		return base.Usagef("--peers needs the script that runs them: --tool PATH/bench_peers.py or $%s; without --peers, bench times graphc alone", ToolVariable)
	case f.Rounds < 1 || f.Burst <= 0 || f.Timeout <= 0:
		return base.Usagef("--rounds, --burst and --timeout must be positive")
	}
	if _, err := os.Stat(f.Tool); err != nil {
		return base.Usagef("--tool: %v", err)
	}
	for _, py := range []string{f.Python, f.PythonTF, f.PythonPeer, f.PythonONNX} {
		if py == "" {
			continue
		}
		if _, err := exec.LookPath(py); err != nil {
			return base.Usagef("the peers need Python: %v; without --peers, bench times graphc alone", err)
		}
	}
	for _, e := range f.Execs {
		if name, cmd, ok := strings.Cut(e, "="); !ok || name == "" || cmd == "" || name == benchreport.Self {
			return base.Usagef("--exec %q is not NAME=COMMAND, or the name is taken", e)
		}
	}
	return nil
}

// Peers measures the run times of cases with graphc and with the peers. It prints Markdown tables,
// or one JSON object per line.
func Peers(ctx context.Context, a *base.App, dirs []string, f PeerFlags, threads []int, run int, o casebuild.Options, asJSON bool) error {
	if err := f.check(); err != nil {
		return err
	}
	cs, err := cases.Find(dirs)
	if err != nil {
		return &base.CodeError{Code: base.ExitUsage, Err: err}
	}
	if run > 0 {
		if cs, err = onlyRun(cs, run, f.Cache); err != nil {
			return err
		}
	}
	common, err := f.args(threads, o)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for range f.Busy {
		go func() { // keeps one processor core busy during the measurements
			for ctx.Err() == nil {
			}
		}()
	}
	bar := a.NewBar(len(cs), "")
	var results []*benchreport.Case
	for _, c := range cs {
		bar.Describe(c.Rel)
		r, err := f.time(ctx, c, common)
		if ctx.Err() != nil {
			bar.Close()
			return ctx.Err()
		}
		if err != nil {
			r = &benchreport.Case{Error: err.Error()}
		}
		r.Pairwise = f.Pairwise
		r.Name, r.Dir, r.Sweep = c.Rel, filepath.ToSlash(c.Path), sweepOf(c)
		if s := r.Sweep; s != nil {
			r.Name = fmt.Sprintf("%s, %s %d", s.Model, s.Axis, s.Value)
		}
		results = append(results, r)
		bar.Clear()
		bar.Add(1)
		if asJSON {
			if err := json.NewEncoder(a.Out).Encode(r); err != nil {
				return err
			}
		}
	}
	bar.Close()
	if !asJSON {
		if err := benchreport.Markdown(a.Out, results); err != nil {
			return err
		}
	}
	if f.Out != "" {
		if err := saveResults(f.Out, results); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(results, (*benchreport.Case).AnyPeer) {
		return errors.New("no peer could be timed, see the notes; without --peers, bench times graphc alone")
	}
	if slices.ContainsFunc(results, (*benchreport.Case).Failed) {
		return &base.CodeError{Code: base.ExitFailure}
	}
	return nil
}

// args returns the command line of the script, without the case, which is its last argument.
func (f *PeerFlags) args(threads []int, o casebuild.Options) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(self, " \t") {
		return nil, base.Usagef("the script starts graphc by a command line, so the path %q must not contain a space", self)
	}
	command := strings.Join(append([]string{self, "bench", "--protocol"}, o.Args()...), " ")
	counts := make([]string, len(threads))
	for i, n := range threads {
		counts[i] = strconv.Itoa(n)
	}
	args := []string{f.Tool, "--peers", strings.Join(f.Peers, ","), "--threads", strings.Join(counts, ","),
		"--rounds", strconv.Itoa(f.Rounds), "--burst-ms", strconv.FormatFloat(f.Burst.Seconds()*1e3, 'f', -1, 64),
		"--exec", benchreport.Self + "=" + command}
	for _, e := range f.Execs {
		args = append(args, "--exec", e)
	}
	if f.Pairwise {
		args = append(args, "--pairwise")
	}
	for _, v := range [][2]string{{"--cache", f.Cache}, {"--tf-python", f.PythonTF}, {"--peer-python", f.PythonPeer}, {"--onnx-python", f.PythonONNX}} {
		if v[1] != "" {
			args = append(args, v[:]...)
		}
	}
	return args, nil
}

// time runs the script on one case.
func (f *PeerFlags) time(ctx context.Context, c *cases.Case, common []string) (*benchreport.Case, error) {
	if err := casebuild.Benchable(c); err != nil {
		return nil, err
	}
	dir, err := peersCase(c, f.Cache)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, f.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, f.Python, append(slices.Clone(common), dir)...)
	killGroup(cmd)
	cmd.WaitDelay = 5 * time.Second
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	if err := cmd.Run(); err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, fmt.Errorf("ended after %v", f.Timeout)
		}
		return nil, fmt.Errorf("%s: %w: %s", filepath.Base(f.Tool), err, bytes.TrimSpace(talk.Bytes()))
	}
	for line := range bytes.Lines(out.Bytes()) {
		if bytes.HasPrefix(line, []byte("{")) {
			return benchreport.Parse(line, max(c.RTol, leastMaxErr))
		}
	}
	return nil, fmt.Errorf("%s printed no results: %s", filepath.Base(f.Tool), bytes.TrimSpace(talk.Bytes()))
}

// leastMaxErr is the error that is accepted for every case: the difference from the recorded
// results, divided by the largest value. A case may allow a larger error. A smaller tolerance of a
// case has no effect.
const leastMaxErr = 1e-4

// sweepOf reads the key "sweep" of case.json. It returns nil if the case has no such key. A case
// with this key measures one point of a curve: the run time of a model for one value of a
// parameter, such as the batch size.
func sweepOf(c *cases.Case) *benchreport.Sweep {
	text, err := os.ReadFile(filepath.Join(c.Dir, "case.json"))
	if err != nil {
		return nil
	}
	var j struct {
		Sweep *benchreport.Sweep `json:"sweep"`
	}
	if json.Unmarshal(text, &j) != nil {
		return nil
	}
	return j.Sweep
}

// saveResults writes the results into the folder dir, as Markdown tables and as JSON.
func saveResults(dir string, results []*benchreport.Case) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	data, err := json.MarshalIndent(results, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "results.json"), append(data, '\n'), 0o666); err != nil {
		return err
	}
	var table bytes.Buffer
	if err := benchreport.Markdown(io.Writer(&table), results); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "table.md"), table.Bytes(), 0o666)
}
