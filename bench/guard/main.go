// Guard stores the results of a benchmark as a baseline, and compares a later run with it.
//
//	guard --save BASELINE results.json ops.json…
//	guard --against BASELINE results.json ops.json…
//
// results.json is written by graphc bench --peers --out. An ops.json has the output of
// graphc bench --ops --json. A loss is reported for
//
//   - a case whose ratio has grown by more than 5 %. The ratio is graphc's time divided by the time of another
//     runtime, and its growth is the geometric mean over the runtimes that both runs have;
//   - a kernel of a case whose share of the roofline has fallen by more than 5 %, if the kernel takes at least
//     1 % of the run.
//
// The exit status is 1 if there are losses, and 2 for other errors. A baseline of another processor is an error.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/graphc/graphc/internal/benchreport"
)

// most is the factor by which a measurement may get worse. If it gets worse by a larger factor, it is a loss.
const most = 1.05

// leastShare is the least share of a run's time that a kernel must take to be compared. The measurements of
// shorter kernels are less exact.
const leastShare = 0.01

func main() {
	save := flag.String("save", "", "file to write")
	against := flag.String("against", "", "file to compare with")
	flag.Parse()
	lost, err := run(os.Stdout, *save, *against, flag.Args())
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "guard:", err)
		os.Exit(2)
	case lost:
		os.Exit(1)
	}
}

// Baseline holds the measurements of one run. It is the content of a baseline file.
type Baseline struct {
	Processor string   `json:"processor"`
	Cases     []Case   `json:"cases"`
	Kernels   []Kernel `json:"kernels"`
}

// Case has the ratios of one case for a number of threads: graphc's median time, divided by that of each other
// runtime with right answers.
type Case struct {
	Case    string             `json:"case"`
	Threads string             `json:"threads"`
	Ratios  map[string]float64 `json:"ratios"`
}

// Kernel sums the calls of a kernel in one case.
type Kernel struct {
	Case   string  `json:"case"`
	Level  string  `json:"level"` // of instructions
	Kernel string  `json:"kernel"`
	US     float64 `json:"us"`      // microseconds in a run
	Share  float64 `json:"share"`   // of the run's time
	OfRoof float64 `json:"of_roof"` // share of the roofline's speed
}

func run(w io.Writer, save, against string, files []string) (lost bool, err error) {
	if (save == "") == (against == "") || len(files) == 0 {
		return false, errors.New("usage: guard --save BASELINE results.json ops.json… | guard --against BASELINE results.json ops.json…")
	}
	now, err := read(files[0], files[1:])
	if err != nil {
		return false, err
	}
	if save != "" {
		data, err := json.MarshalIndent(now, "", " ")
		if err != nil {
			return false, err
		}
		return false, os.WriteFile(save, append(data, '\n'), 0o666)
	}
	data, err := os.ReadFile(against)
	if err != nil {
		return false, err
	}
	var before Baseline
	if err := json.Unmarshal(data, &before); err != nil {
		return false, fmt.Errorf("%s: %w", against, err)
	}
	if before.Processor != now.Processor {
		return false, fmt.Errorf("%s was measured on %q, this is %q: use a baseline of this processor, or write one with --save", against, before.Processor, now.Processor)
	}
	return compare(w, &before, now)
}

// read makes a baseline of the results of a run.
func read(results string, ops []string) (*Baseline, error) {
	b := &Baseline{Processor: processor()}
	data, err := os.ReadFile(results)
	if err != nil {
		return nil, err
	}
	var cases []*benchreport.Case
	if err := json.Unmarshal(data, &cases); err != nil {
		return nil, fmt.Errorf("%s: %w", results, err)
	}
	for _, c := range cases {
		for threads, all := range c.Threads {
			row := Case{c.Name, threads, map[string]float64{}}
			for peer := range all {
				if median, _, ok := c.Ratio(threads, peer); ok && peer != "graphc" {
					row.Ratios[peer] = median
				}
			}
			if len(row.Ratios) > 0 {
				b.Cases = append(b.Cases, row)
			}
		}
	}
	slices.SortFunc(b.Cases, func(x, y Case) int {
		return cmp.Or(cmp.Compare(x.Case, y.Case), cmp.Compare(x.Threads, y.Threads))
	})
	for _, name := range ops {
		if err := b.readOps(name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	slices.SortFunc(b.Kernels, func(x, y Kernel) int {
		return cmp.Or(cmp.Compare(x.Case, y.Case), cmp.Compare(x.Level, y.Level), cmp.Compare(x.Kernel, y.Kernel))
	})
	return b, nil
}

// readOps adds the kernels of a file with one JSON object a line.
func (b *Baseline) readOps(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var r struct {
			Case  string  `json:"case"`
			Level string  `json:"level"`
			Timed float64 `json:"timed_us"`
			Calls []struct {
				Kernel string  `json:"kernel"`
				US     float64 `json:"min_us"`
				Roof   float64 `json:"roof_us"`
			} `json:"calls"`
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		if r.Timed <= 0 {
			continue
		}
		sums, roofs := map[string]float64{}, map[string]float64{}
		for _, c := range r.Calls {
			sums[c.Kernel] += c.US
			roofs[c.Kernel] += c.Roof
		}
		short := r.Case[strings.LastIndexByte(r.Case, '/')+1:]
		for kernel, us := range sums {
			if us > 0 {
				b.Kernels = append(b.Kernels, Kernel{short, r.Level, kernel, us, us / r.Timed, roofs[kernel] / us})
			}
		}
	}
	return lines.Err()
}

// compare prints the losses, and what only one of the runs has.
func compare(w io.Writer, before, now *Baseline) (lost bool, err error) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, old := range before.Cases {
		i := slices.IndexFunc(now.Cases, func(c Case) bool { return c.Case == old.Case && c.Threads == old.Threads })
		if i < 0 {
			fmt.Fprintf(t, "not measured\t%s, %s threads\n", old.Case, old.Threads)
			continue
		}
		sum, n := 0.0, 0
		for peer, ratio := range old.Ratios {
			if r := now.Cases[i].Ratios[peer]; r > 0 && ratio > 0 {
				sum += math.Log(r / ratio)
				n++
			}
		}
		if growth := math.Exp(sum / float64(max(n, 1))); growth > most {
			lost = true
			fmt.Fprintf(t, "loss\t%s, %s threads\t%.3f times the baseline's ratio to %d runtimes\n", old.Case, old.Threads, growth, n)
		}
	}
	for _, old := range before.Kernels {
		if old.Share < leastShare || old.OfRoof <= 0 {
			continue
		}
		i := slices.IndexFunc(now.Kernels, func(k Kernel) bool {
			return k.Case == old.Case && k.Level == old.Level && k.Kernel == old.Kernel
		})
		if i < 0 {
			fmt.Fprintf(t, "not measured\t%s, %s, %s\n", old.Case, old.Level, old.Kernel)
			continue
		}
		if k := now.Kernels[i]; k.OfRoof > 0 && old.OfRoof/k.OfRoof > most {
			lost = true
			fmt.Fprintf(t, "loss\t%s, %s, %s\t%.1f %% of the roofline, %.1f %% in the baseline\t%.1f µs, %.1f µs\n",
				old.Case, old.Level, old.Kernel, 100*k.OfRoof, 100*old.OfRoof, k.US, old.US)
		}
	}
	if !lost {
		fmt.Fprintf(t, "no losses of more than %.0f %%: %d cases, %d kernels\n", 100*(most-1), len(before.Cases), len(before.Kernels))
	}
	return lost, t.Flush()
}

// processor describes this machine's processor by its name, family, model and instruction set, because
// different processors can have the same name. Without /proc/cpuinfo, the result is GOOS/GOARCH.
func processor() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOOS + "/" + runtime.GOARCH
	}
	return processorOf(string(data))
}

// processorOf is processor for the contents of /proc/cpuinfo.
func processorOf(info string) string {
	first, _, _ := strings.Cut(info, "\n\n")
	values := map[string]string{}
	for line := range strings.Lines(first) {
		key, value, _ := strings.Cut(line, ":")
		values[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	name := cmp.Or(values["model name"], values["CPU implementer"]+" "+values["CPU part"])
	level := "avx2"
	switch flags := " " + values["flags"] + " "; {
	case runtime.GOARCH != "amd64":
		level = runtime.GOARCH
	case strings.Contains(flags, " avx512f "):
		level = "avx512"
	case !strings.Contains(flags, " avx2 "):
		level = "no avx2"
	}
	return fmt.Sprintf("%s, family %s, model %s, %s", name, cmp.Or(values["cpu family"], "?"), cmp.Or(values["model"], "?"), level)
}
