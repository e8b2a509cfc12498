// Check verifies batches of random graphs:
//
//	go run ./internal/randgraph/check [flags] batch.zip…
//
// It prints each case that fails, and the ops of all cases. --keep copies failing cases, --delete
// removes batches that pass. The exit status is 1 if a case fails.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/randgraph"
)

type flags struct {
	tool, keep, ops, devices string
	del                      bool
	emit, jobs               int
}

func main() {
	var f flags
	flag.StringVar(&f.tool, "tool", "graphc", "the graphc command")
	flag.StringVar(&f.keep, "keep", "", "copy failing cases below this folder")
	flag.StringVar(&f.ops, "ops", "", "add the graphs of each op that pass to this JSON file")
	flag.StringVar(&f.devices, "devices", "", "have nodes placed on these, gpu:0,cpu:0 say, where GPUs are simulated")
	flag.BoolVar(&f.del, "delete", false, "remove batches that pass")
	flag.IntVar(&f.emit, "emit", 0, "build and run programs of this many cases of each batch")
	flag.IntVar(&f.jobs, "j", 1, "cases at once")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	bad, err := f.run(ctx, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if bad > 0 || err != nil {
		os.Exit(1)
	}
}

func (f *flags) run(ctx context.Context, batches []string) (bad int, err error) {
	seen := map[string]int{}
	if f.ops != "" {
		data, err := os.ReadFile(f.ops)
		if err == nil {
			err = json.Unmarshal(data, &seen)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return 0, err
		}
	}
	total := 0
	for _, b := range batches {
		n, wrong, err := f.batch(ctx, b, seen)
		if err != nil {
			return bad, err
		}
		fmt.Printf("%s: %d graphs, %d wrong\n", filepath.Base(b), n, wrong)
		total, bad = total+n, bad+wrong
		if f.ops != "" {
			data, err := json.Marshal(seen)
			if err == nil {
				err = os.WriteFile(f.ops, data, 0o666)
			}
			if err != nil {
				return bad, err
			}
		}
		if wrong == 0 && f.del {
			if err := os.Remove(b); err != nil {
				return bad, err
			}
		}
	}
	fmt.Printf("%d graphs, %d wrong, %d ops\n", total, bad, len(seen))
	return bad, nil
}

// batch verifies the graphs in one zip file. It returns the number of graphs and the number of
// those that fail. For each op, it adds to seen[op] the number of graphs that contain the op.
func (f *flags) batch(ctx context.Context, path string, seen map[string]int) (n, wrong int, err error) {
	dir, err := os.MkdirTemp("", "randgraph-")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := cases.Extract(path, dir); err != nil {
		return 0, 0, err
	}
	failed := map[string]bool{}
	var all []string
	for _, m := range randgraph.Modes {
		dirs := []string{dir}
		if m.Name == "emitted" {
			if f.emit == 0 {
				continue
			}
			dirs = nil
			for i, d := range all {
				if i%max(1, len(all)/f.emit) == 0 && !failed[d] {
					dirs = append(dirs, d)
				}
			}
		}
		args := []string{"-j", fmt.Sprint(f.jobs)}
		if f.devices != "" {
			args = append(args, "--devices", f.devices, "--soft-placement")
		}
		vs, err := randgraph.Verify(ctx, f.tool, m, args, dirs...)
		if err != nil {
			return 0, 0, err
		}
		for _, v := range vs {
			if m.Name == "exec" {
				all = append(all, v.Path)
			}
			if v.Status == "ok" {
				continue
			}
			failed[v.Path] = true
			fmt.Printf("%s %s: %s\n", filepath.Base(v.Path), m.Name, strings.Join(strings.Fields(v.Reason), " "))
		}
	}
	for _, d := range all {
		if failed[d] {
			continue
		}
		ops, err := randgraph.Ops(d)
		if err != nil {
			return 0, 0, err
		}
		for _, o := range ops {
			seen[o]++
		}
	}
	if f.keep != "" {
		for _, d := range slices.Sorted(maps.Keys(failed)) {
			to := filepath.Join(f.keep, filepath.Base(d))
			if err := os.RemoveAll(to); err != nil {
				return 0, 0, err
			}
			if err := os.CopyFS(to, os.DirFS(d)); err != nil {
				return 0, 0, err
			}
		}
	}
	return len(all), len(failed), nil
}
