// Command growth measures how compile time and memory grow with the size of graphs.
//
//	growth [--kinds KIND,…] [--sizes N,…] [--emit] [--cpuprofile FILE] > results.json
//
// Each graph is compiled in a separate process. The result has one line of JSON for each graph:
// the processor time in seconds of reading the graph, of turning it into plans and of printing the
// code, the memory in bytes that the process used at most, and the size in bytes of the code.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
)

// result is what was measured for one graph.
type result struct {
	Kind   string  `json:"kind"`
	Nodes  int     `json:"nodes"`
	Read   float64 `json:"read_s"`
	Plan   float64 `json:"plan_s"`
	Emit   float64 `json:"emit_s,omitempty"`
	Memory int64   `json:"memory_bytes"`
	Code   int     `json:"code_bytes,omitempty"`
	Files  int     `json:"files,omitempty"`
}

func main() {
	all := make([]string, len(kinds))
	for i, k := range kinds {
		all[i] = k.name + ", " + k.about
	}
	names := flag.String("kinds", "", "kinds of graphs; the default is all:\n"+strings.Join(all, "\n"))
	sizes := flag.String("sizes", "100,1000,10000", "numbers of nodes")
	emit := flag.Bool("emit", false, "also print the code")
	profile := flag.String("cpuprofile", "", "file for a profile of the processor time; needs --one")
	one := flag.String("one", "", "compile one graph, KIND:N, in this process")
	limit := flag.Duration("limit", 2*time.Minute, "time limit of a graph")
	flag.Parse()
	if err := run(*names, *sizes, *one, *profile, *emit, *limit); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func run(names, sizes, one, profile string, emit bool, limit time.Duration) error {
	if one != "" {
		r, err := measure(one, profile, emit, limit)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(r)
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	for _, k := range kinds {
		if names != "" && !slices.Contains(strings.Split(names, ","), k.name) {
			continue
		}
		for _, size := range strings.Split(sizes, ",") {
			cmd := exec.Command(exe, "--one", k.name+":"+size, "--limit", limit.String(), "--emit="+strconv.FormatBool(emit))
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			if err := cmd.Run(); err != nil {
				fmt.Fprintf(os.Stderr, "growth: %s, %s nodes: %v\n", k.name, size, err)
				break // larger graphs would fail, too
			}
		}
	}
	return nil
}

// measure compiles the graph of the given kind and size, KIND:N. It writes a profile of the processor
// time to a file, unless the file's name is "".
func measure(what, profile string, emit bool, limit time.Duration) (*result, error) {
	name, size, _ := strings.Cut(what, ":")
	n, err := strconv.Atoi(size)
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if err != nil || at < 0 {
		return nil, fmt.Errorf("%q is not of the form KIND:N", what)
	}
	g, fetch := kinds[at].graph(n)
	if !strings.Contains(fetch, ":") {
		fetch += ":0"
	}
	data, err := proto.Marshal(g)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "growth-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "graph.pb")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		return nil, err
	}
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return nil, err
		}
		defer pprof.StopCPUProfile()
	}
	r := &result{Kind: name, Nodes: n}
	limits := graphc.Limits{Time: limit, Nodes: 1 << 24, Inlined: 1 << 24, Calls: 1 << 20}
	ctx := context.Background()
	var m *graphc.Model
	var p *graphc.Program
	if r.Read, err = timed(func() (err error) {
		m, err = graphc.Load(ctx, path, &graphc.LoadOptions{Limits: limits})
		return err
	}); err != nil {
		return nil, err
	}
	if r.Plan, err = timed(func() (err error) {
		p, err = m.Compile(ctx, &graphc.Options{Feeds: feeds(g), Fetches: []string{fetch}, Limits: limits})
		return err
	}); err != nil {
		return nil, err
	}
	if emit {
		if r.Emit, err = timed(func() error {
			files, err := p.Files(ctx, &graphc.EmitOptions{})
			for _, f := range files {
				r.Code += len(f)
				r.Files++
			}
			return err
		}); err != nil {
			return nil, err
		}
	}
	r.Memory, err = peakMemory()
	return r, err
}

// feeds returns the tensors of the graph's placeholders.
func feeds(g *pb.GraphDef) []string {
	var out []string
	for _, n := range g.Node {
		if n.Op == "Placeholder" {
			out = append(out, n.Name+":0")
		}
	}
	return out
}

// timed returns the processor time, in seconds, that f takes.
func timed(f func() error) (float64, error) {
	before := ir.CPUTime()
	err := f()
	return (ir.CPUTime() - before).Seconds(), err
}
