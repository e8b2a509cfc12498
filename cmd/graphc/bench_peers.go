package main

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

	"github.com/spf13/pflag"

	"github.com/graphc/graphc/internal/benchreport"
	"github.com/graphc/graphc/internal/cases"
)

// peerFlags are what bench takes to time cases beside other runtimes.
type peerFlags struct {
	peers      []string
	tool       string
	execs      []string
	rounds     int
	burst      time.Duration
	cache      string
	timeout    time.Duration
	pairwise   bool
	busy       int
	python     string
	pythonTF   string
	pythonPeer string
	pythonONNX string
	out        string
}

// toolVariable names the environment variable with the harness's path.
const toolVariable = "GRAPHC_BENCH_TOOL"

func (f *peerFlags) register(fl *pflag.FlagSet) {
	fl.StringSliceVar(&f.peers, "peers", nil, "time beside these runtimes, in turns: tf, xla, litert, ort, openvino")
	fl.StringVar(&f.tool, "tool", os.Getenv(toolVariable), "the script that drives the peers, bench_peers.py (default $"+toolVariable+")")
	fl.StringArrayVar(&f.execs, "exec", nil, "NAME=COMMAND, one more peer that speaks the line protocol; may be repeated")
	fl.IntVar(&f.rounds, "rounds", 15, "rounds through the peers")
	fl.DurationVar(&f.burst, "burst", 300*time.Millisecond, "length of a peer's turn in a round")
	fl.StringVar(&f.cache, "cache", "", "folder for models converted for the peers, and for cases of --run")
	fl.DurationVar(&f.timeout, "timeout", 15*time.Minute, "most time for a case with all its peers")
	fl.BoolVar(&f.pairwise, "pairwise", false, "keep only the first peer and one other alive at a time, to save memory")
	fl.IntVar(&f.busy, "busy", 0, "keep so many threads of one more process busy meanwhile")
	fl.StringVar(&f.python, "python", "python3", "Python that runs the script")
	fl.StringVar(&f.pythonTF, "tf-python", "", "Python with TensorFlow")
	fl.StringVar(&f.pythonPeer, "peer-python", "", "Python with the other runtimes")
	fl.StringVar(&f.pythonONNX, "onnx-python", "", "Python with tf2onnx")
	fl.StringVar(&f.out, "out", "", "folder for table.md and results.json")
}

// check refuses what cannot work before anything is built.
func (f *peerFlags) check() error {
	switch {
	case f.tool == "":
		return usagef("--peers needs the script that drives them: --tool PATH/bench_peers.py or $%s; without --peers, bench times graphc alone", toolVariable)
	case f.rounds < 1 || f.burst <= 0 || f.timeout <= 0:
		return usagef("--rounds, --burst and --timeout must be positive")
	}
	if _, err := os.Stat(f.tool); err != nil {
		return usagef("--tool: %v", err)
	}
	for _, py := range []string{f.python, f.pythonTF, f.pythonPeer, f.pythonONNX} {
		if py == "" {
			continue
		}
		if _, err := exec.LookPath(py); err != nil {
			return usagef("the peers need Python: %v; without --peers, bench times graphc alone", err)
		}
	}
	for _, e := range f.execs {
		if name, cmd, ok := strings.Cut(e, "="); !ok || name == "" || cmd == "" || name == benchreport.Self {
			return usagef("--exec %q is not NAME=COMMAND, or the name is taken", e)
		}
	}
	return nil
}

// benchPeers times cases beside the peers and writes tables, or an object a line.
func (a *app) benchPeers(ctx context.Context, dirs []string, f peerFlags, threads []int, run int, o compileFlags, asJSON bool) error {
	if err := f.check(); err != nil {
		return err
	}
	cs, err := cases.Find(dirs)
	if err != nil {
		return &codeError{exitUsage, err}
	}
	if run > 0 {
		if cs, err = onlyRun(cs, run, f.cache); err != nil {
			return err
		}
	}
	common, err := f.args(threads, o)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for range f.busy {
		go func() { // this process is that which is busy
			for ctx.Err() == nil {
			}
		}()
	}
	bar := a.newBar(len(cs), "")
	var results []*benchreport.Case
	for _, c := range cs {
		bar.describe(c.Rel)
		r, err := f.time(ctx, c, common)
		if ctx.Err() != nil {
			bar.close()
			return ctx.Err()
		}
		if err != nil {
			r = &benchreport.Case{Error: err.Error()}
		}
		r.Pairwise = f.pairwise
		r.Name, r.Dir, r.Sweep = c.Rel, filepath.ToSlash(c.Path), sweepOf(c)
		if s := r.Sweep; s != nil {
			r.Name = fmt.Sprintf("%s, %s %d", s.Model, s.Axis, s.Value)
		}
		results = append(results, r)
		bar.clear()
		bar.add(1)
		if asJSON {
			if err := json.NewEncoder(a.out).Encode(r); err != nil {
				return err
			}
		}
	}
	bar.close()
	if !asJSON {
		if err := benchreport.Markdown(a.out, results); err != nil {
			return err
		}
	}
	if f.out != "" {
		if err := saveResults(f.out, results); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(results, (*benchreport.Case).AnyPeer) {
		return errors.New("no peer could be timed: the notes tell why; without --peers, bench times graphc alone")
	}
	if slices.ContainsFunc(results, (*benchreport.Case).Failed) {
		return &codeError{code: exitFailure}
	}
	return nil
}

// args are the script's arguments but for the case.
func (f *peerFlags) args(threads []int, o compileFlags) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(self, " \t") {
		return nil, usagef("the script starts graphc by a command line, and there is a space in %q", self)
	}
	command := strings.Join(append([]string{self, "bench", "--protocol"}, o.args()...), " ")
	counts := make([]string, len(threads))
	for i, n := range threads {
		counts[i] = strconv.Itoa(n)
	}
	args := []string{f.tool, "--peers", strings.Join(f.peers, ","), "--threads", strings.Join(counts, ","),
		"--rounds", strconv.Itoa(f.rounds), "--burst-ms", strconv.FormatFloat(f.burst.Seconds()*1e3, 'f', -1, 64),
		"--exec", benchreport.Self + "=" + command}
	for _, e := range f.execs {
		args = append(args, "--exec", e)
	}
	if f.pairwise {
		args = append(args, "--pairwise")
	}
	for _, v := range [][2]string{{"--cache", f.cache}, {"--tf-python", f.pythonTF}, {"--peer-python", f.pythonPeer}, {"--onnx-python", f.pythonONNX}} {
		if v[1] != "" {
			args = append(args, v[:]...)
		}
	}
	return args, nil
}

// time has the script time one case.
func (f *peerFlags) time(ctx context.Context, c *cases.Case, common []string) (*benchreport.Case, error) {
	if err := benchable(c); err != nil {
		return nil, err
	}
	dir, err := peersCase(c, f.cache)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, f.python, append(slices.Clone(common), dir)...)
	killGroup(cmd)
	cmd.WaitDelay = 5 * time.Second
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	if err := cmd.Run(); err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, fmt.Errorf("ended after %v", f.timeout)
		}
		return nil, fmt.Errorf("%s: %w: %s", filepath.Base(f.tool), err, bytes.TrimSpace(talk.Bytes()))
	}
	for line := range bytes.Lines(out.Bytes()) {
		if bytes.HasPrefix(line, []byte("{")) {
			return benchreport.Parse(line, max(c.RTol, leastMaxErr))
		}
	}
	return nil, fmt.Errorf("%s printed no results: %s", filepath.Base(f.tool), bytes.TrimSpace(talk.Bytes()))
}

// leastMaxErr is the difference, over the largest value, that any answer in
// float32 may have.
const leastMaxErr = 1e-4

// sweepOf returns the point of a curve that case.json says the case is.
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

// saveResults writes the tables and what they were made of.
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
