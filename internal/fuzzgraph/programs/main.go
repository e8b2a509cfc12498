// Command programs runs emitted programs with hostile feeds, and reports those that do not end
// properly:
//
//	go run ./internal/fuzzgraph/programs --seed 1 --n 20000 --programs 100 --out DIR FOLDER…
//
// It draws recorded cases from the folders, and emits and builds a program for each. It feeds them
// damaged .npy, .npz, JSON and CSV files, pictures and other bytes as strings, and tensors of wrong
// types, wrong sizes and extreme values. A program must end with one of its exit codes, in time,
// within its memory limit, and with a short error that is not Internal.
//
// Findings are written to DIR: the fed files, and a line in log.jsonl.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/graphc/graphc/codegen"
	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/fuzzgraph"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/rt/tensor"
)

// Limits of a program.
const (
	maxBytes = 32 << 20        // its flag -max-bytes
	timeout  = 3 * time.Second // its flag -timeout
	hang     = 30 * time.Second
	maxText  = 20_000 // maximum length of an error message in bytes
	// maxResident is the maximum resident memory in bytes. Reading feeds takes up to twice
	// -max-bytes. So does a run, because the garbage collector lets the heap grow to about twice
	// the live size. 64 MiB are for the program itself.
	maxResident = 4*maxBytes + 64<<20
)

func main() {
	seed := flag.Uint64("seed", 1, "of the random numbers")
	count := flag.Int("n", 1000, "how often a program is started")
	programs := flag.Int("programs", 50, "programs to build")
	out := flag.String("out", "fed", "folder for the programs and for what is found")
	only := flag.Int("only", -1, "do this start only")
	flag.Parse()
	if _, err := run(*seed, *count, *programs, *only, *out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// program is an emitted program and its case.
type program struct {
	c     *cases.Case
	feeds []string                  // names of feeds in the program
	names []string                  // names of feeds in the case
	fed   map[string]*tensor.Tensor // keyed by the name in the case; must not be changed
	files map[string][]byte
	path  string
}

// run starts programs count times and returns how often each outcome occurred. Each answer is
// counted under its kind. An answer with a defect is also counted under "BAD " followed by the kind
// of the defect. The key "starts" has the number of starts.
func run(seed uint64, count, programs, only int, out string, dirs []string) (counts map[string]int, err error) {
	corpus, err := fuzzgraph.Find(dirs)
	if err != nil || len(corpus.Cases) == 0 {
		return nil, fmt.Errorf("no cases below %v: %w", dirs, err)
	}
	draw := rand.New(rand.NewPCG(seed, 99))
	all := choose(corpus, draw, programs)
	if len(all) == 0 {
		return nil, fmt.Errorf("no case below %v gives a program with feeds", dirs)
	}
	if err := build(all, filepath.Join(out, "programs")); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(out, "log.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	counts = map[string]int{}
	most := 0
	corpus = nil
	for i := range count {
		p := all[draw.IntN(len(all))]
		f := &feeder{r: rand.New(rand.NewPCG(draw.Uint64(), 5)), p: p, dir: filepath.Join(out, "current")}
		if only >= 0 && i != only {
			continue
		}
		args, in, err := f.feeds()
		if err != nil {
			return nil, err
		}
		if counts["starts"]%50 == 0 {
			forget()
		}
		a := start(p.path, args, in)
		counts["starts"]++
		counts[a.kind]++
		most = max(most, a.resident)
		if a.bad == "" {
			continue
		}
		counts["BAD "+a.bad]++
		name := fmt.Sprintf("%s-%d-%d", a.bad, seed, i)
		if err := os.Rename(f.dir, filepath.Join(out, name)); err != nil {
			return nil, err
		}
		line, err := json.Marshal(map[string]any{"name": name, "case": p.c.Dir, "args": args, "in": fmt.Sprintf("%.2000s", in), "text": a.text, "notes": f.notes, "seed": seed, "start": i})
		if err == nil {
			_, err = log.Write(append(line, '\n'))
		}
		if err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(counts)
	fmt.Printf("seed %d, %d programs: %s, at most %d MB resident, %d allowed\n", seed, len(all), text, most>>20, maxResident>>20)
	return counts, err
}

// choose emits programs of up to n cases that have feeds. Half of the cases have string feeds, if
// enough of these exist.
func choose(corpus *fuzzgraph.Corpus, draw *rand.Rand, n int) []*program {
	var texts, others []*program
	for _, k := range draw.Perm(len(corpus.Cases)) {
		c := corpus.Cases[k]
		if len(c.Runs[0].Feeds) == 0 {
			continue
		}
		fed, _, err := c.LoadRun(0)
		if err != nil {
			continue
		}
		list, has := &others, (n+1)/2
		for _, t := range fed {
			if t != nil && t.DType == tensor.String {
				list, has = &texts, n
			}
		}
		if len(*list) >= has {
			continue
		}
		if p := emit(c, draw); p != nil {
			p.fed = fed
			*list = append(*list, p)
		}
	}
	return append(texts[:min(len(texts), n-len(others))], others...)
}

// emit returns the program of a case, or nil if it does not compile.
func emit(c *cases.Case, draw *rand.Rand) *program {
	m, err := pipeline.Load([]string{c.ModelPath}, frontend.Options{})
	if err != nil {
		return nil
	}
	r := c.Runs[0]
	p := &program{c: c, names: r.Feeds}
	var o pipeline.Options
	for i, name := range r.Feeds {
		p.feeds = append(p.feeds, fmt.Sprintf("f%d", i))
		o.Feeds = append(o.Feeds, p.feeds[i]+"="+name)
	}
	o.Fetches, o.Targets = r.Fetches, r.Targets
	o.NoOpt = draw.IntN(4) == 0
	done, err := pipeline.CompileModel(m, o)
	if err != nil {
		return nil
	}
	p.files, err = codegen.Emit(&codegen.Package{Name: "main", Model: "graph.pb", ModelSum: done.Model.SHA256, Plans: done.Plans(), Init: done.InitPlan(), Main: true})
	if err != nil {
		return nil
	}
	return p
}

// build builds all programs below dir with the go command.
func build(all []*program, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	packages := make([]map[string][]byte, len(all))
	for i, p := range all {
		packages[i] = p.files
		p.path = filepath.Join(dir, "bin", fmt.Sprintf("p%d", i))
	}
	if err := fuzzgraph.WriteModule(dir, "fed", packages); err != nil {
		return err
	}
	c := exec.Command("go", "build", "-mod=mod", "-o", filepath.Join(dir, "bin")+string(filepath.Separator), "./...")
	c.Dir = dir
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, text)
	}
	return nil
}

// answer describes how a program ended.
type answer struct {
	kind string // "ran", "usage", or the error code that the program reported
	// bad is the kind of defect that was found: panic, internal, exit, hang, memory, longtext or
	// output. It is "" if there is no defect.
	bad      string
	text     string // description of bad
	resident int    // bytes
}

// start runs a program and judges how it ends.
func start(path string, args []string, in []byte) (a answer) {
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	defer cancel()
	c := exec.CommandContext(ctx, path, append([]string{"-max-bytes", fmt.Sprint(maxBytes), "-timeout", timeout.String()}, args...)...)
	c.Stdin = strings.NewReader(string(in))
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	if c.ProcessState != nil {
		a.resident = resident(c.ProcessState)
	}
	text := errs.String()
	bad := func(what, format string, args ...any) answer {
		a.bad, a.text = what, fmt.Sprintf(format, args...)
		return a
	}
	switch code := c.ProcessState.ExitCode(); {
	case ctx.Err() != nil:
		return bad("hang", "no end after %v", hang)
	case strings.Contains(text, "goroutine ") || strings.Contains(text, "fatal error"):
		return bad("panic", "%.3000s", text)
	case code == 0:
		a.kind = "ran"
	case code == 1 || code == 2:
		a.kind = codeOf(text)
	default:
		return bad("exit", "%v: %.1000s", err, text)
	}
	switch {
	case a.kind == "Internal" || strings.Contains(text, "runtime error") || strings.Contains(out.String(), "Internal: "):
		return bad("internal", "%.1000s%.1000s", text, out.String())
	case len(text) > maxText:
		return bad("longtext", "an error of %d bytes: %.500s", len(text), text)
	case a.resident > maxResident:
		return bad("memory", "%d MB resident: %.500s", a.resident>>20, text)
	case a.kind == "ran" && !isJSON(out.String()):
		return bad("output", "no JSON: %.500s", out.String())
	}
	return a
}

// codeOf returns the code in a program's error.
func codeOf(text string) string {
	for c := tensor.Cancelled; c <= tensor.Unauthenticated; c++ {
		if strings.Contains(text, c.String()+":") {
			return c.String()
		}
	}
	return "usage"
}

// isJSON reports whether a text is a sequence of JSON values.
func isJSON(s string) bool {
	for d := json.NewDecoder(strings.NewReader(s)); ; {
		var v any
		if err := d.Decode(&v); err != nil {
			return err.Error() == "EOF"
		}
	}
}
