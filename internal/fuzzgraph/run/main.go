// Command run mutates recorded cases and reports the mutants for which the compiler fails:
//
//	go run ./internal/fuzzgraph/run --seed 1 --n 10000 --class struct --diff --out DIR FOLDER…
//
// Each finding is written to DIR: the graph, and a line in log.jsonl. With --compile N, the go
// command builds the packages of N mutants at the end.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/graphc/graphc/internal/fuzzgraph"
)

// hang is the time limit for a mutant. If it is exceeded, the process writes the stacks of all
// goroutines and exits.
const hang = 3 * time.Minute

func main() {
	seed := flag.Uint64("seed", 1, "of the random numbers")
	count := flag.Int("n", 1000, "mutants")
	within := flag.Duration("within", time.Hour, "end after this time")
	out := flag.String("out", "fuzzed", "folder for what is found")
	class := flag.String("class", "struct", strings.Join(fuzzgraph.Classes, ", "))
	diff := flag.Bool("diff", false, "compare with what is computed without the optional passes")
	compile := flag.Int("compile", 0, "build the packages of so many mutants")
	only := flag.Int("only", -1, "make this mutant only")
	flag.Parse()
	if err := run(*seed, *count, *within, *out, *class, fuzzgraph.Options{Diff: *diff}, *compile, *only, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(seed uint64, count int, within time.Duration, out, class string, o fuzzgraph.Options, compile, only int, dirs []string) error {
	limitMemory()
	debug.SetMaxStack(256 << 20)
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	corpus, err := fuzzgraph.Find(dirs)
	if err != nil || len(corpus.Cases) == 0 {
		return fmt.Errorf("no cases below %v: %w", dirs, err)
	}
	log, err := os.OpenFile(filepath.Join(out, "log.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer log.Close()
	var started atomic.Int64
	go watch(&started, out)
	counts, packages := map[string]int{}, []map[string][]byte(nil)
	draw := rand.New(rand.NewPCG(seed, 77))
	end := time.Now().Add(within)
	for i := 0; i < count && time.Now().Before(end); i++ {
		m := fuzzgraph.New(class, draw.Uint64())
		m.Donors = corpus.Donors
		k := draw.IntN(len(corpus.Cases))
		if only >= 0 && i != only {
			continue
		}
		c := corpus.Cases[k]
		path := filepath.Join(out, "current.pb")
		o.Emit = len(packages) < compile
		started.Store(time.Now().UnixNano())
		r := fuzzgraph.Attempt(c, corpus.Graphs[k], m, path, o)
		started.Store(0)
		counts["mutants"]++
		counts[r.Kind]++
		if o.Emit && r.Files != nil {
			packages = append(packages, r.Files)
		}
		if r.Bad == "" {
			continue
		}
		counts["BAD "+r.Bad]++
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		h := fnv.New32a()
		h.Write(raw)
		name := fmt.Sprintf("%s-%08x", r.Bad, h.Sum32())
		line, err := json.Marshal(map[string]any{"name": name, "case": c.Dir, "text": r.Text, "notes": m.Notes, "seed": seed, "mutant": i, "class": class})
		if err == nil {
			_, err = log.Write(append(line, '\n'))
		}
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name+".pb"), raw, 0o666); err != nil {
			return err
		}
	}
	text, err := json.Marshal(counts)
	fmt.Printf("%s seed %d: %s\n", class, seed, text)
	if err == nil && compile > 0 {
		err = build(packages, filepath.Join(out, "packages"))
	}
	return err
}

// watch ends the process if a mutant takes too long, and writes the stacks.
func watch(started *atomic.Int64, out string) {
	for range time.Tick(time.Second) {
		s := started.Load()
		if s == 0 || time.Since(time.Unix(0, s)) < hang {
			continue
		}
		buf := make([]byte, 1<<20)
		name := filepath.Join(out, fmt.Sprintf("hang-%d.txt", s))
		_ = os.WriteFile(name, buf[:runtime.Stack(buf, true)], 0o666) // if writing fails, the exit status still shows the failure
		fmt.Fprintf(os.Stderr, "a mutant hangs: %s and current.pb\n", name)
		os.Exit(9)
	}
}

// build vets and builds packages in a separate module.
func build(packages []map[string][]byte, dir string) error {
	if err := fuzzgraph.WriteModule(dir, "fuzzed", packages); err != nil {
		return err
	}
	for _, args := range [][]string{{"build", "-mod=mod", "./..."}, {"vet", "-mod=mod", "./..."}} {
		c := exec.Command("go", args...)
		c.Dir = dir
		if text, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("go %s: %w\n%s", args[0], err, text)
		}
	}
	fmt.Printf("%d packages built\n", len(packages))
	return nil
}
