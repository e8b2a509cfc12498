package repl

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/graphc/graphc/internal/tool/base"
)

// command describes a command. A statement with the command begins with its name.
type command struct {
	name, usage, text, example string
	least, most                int  // minimum and maximum number of arguments; no maximum if most is negative
	files                      bool // whether the last argument is the name of a file
	run                        func(ctx context.Context, s *Session, args []string) error
}

// commands returns all commands, in the order in which help lists them.
func commands() []command {
	return []command{
		{"help", "help", "list what can be written", "help", 0, 0, false, help},
		{"signature", "signature [NAME]", "list signatures with their inputs and outputs", "signature predict", 0, 1, false, signature},
		{"ls", "ls [PATTERN]", "list variables and nodes; * in a pattern is any text", "ls dense/*", 0, 1, false, list},
		{"info", "info NAME", "show a node: its op, attributes, inputs, shapes and readers", "info dense/MatMul", 1, 1, false, info},
		{"feeds", "feeds", "list what is fed, and the kept values", "feeds", 0, 0, false, feeds},
		{"drop", "drop NAME…", "stop feeding inputs, or forget kept values", "drop x", 1, -1, false, drop},
		{"run", "run NAME…", "run nodes or signatures without printing values", "run init", 1, -1, false, runTargets},
		{"summary", "summary NAME…", "shape, minimum, maximum, mean, deviation, NaN, Inf and zeros", "summary scores", 1, -1, false, summary},
		{"hist", "hist NAME", "draw a histogram", "hist dense/kernel", 1, 1, false, hist},
		{"show", "show NAME", "draw a picture: [h,w], [h,w,c] or [1,h,w,c]", "show image", 1, 1, false, show},
		{"save", "save NAME FILE", "write a value to a .npy, .npz, .png or .txt file", "save scores scores.npy", 2, 2, true, save},
		{"time", "time NAME [N]", "run N times (10 if not given) and print the median", "time predict 100", 1, 2, false, timed},
		{"seed", "seed N", "begin the random numbers of random and normal anew", "seed 7", 1, 1, false, seed},
		{"reset", "reset", "give variables, tables and queues their first values again", "reset", 0, 0, false, reset},
		{"quit", "quit", "end the session, as Ctrl-D does", "quit", 0, 0, false, quit},
	}
}

// commandNamed returns the command with the given name, or nil if no command has this name.
func commandNamed(name string) *command {
	all := commands()
	if i := slices.IndexFunc(all, func(c command) bool { return c.name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// commandNames returns the names of all commands.
func commandNames() (names []string) {
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// forms lists the statements that are not commands: the form, a description and an example of each.
var forms = [][3]string{
	{"NAME = JSON", "feed an input or any tensor of the graph", "x = [[1, 2], [3, 4]]"},
	{"NAME = @FILE", "feed a file: .npy, .npz, .json, .csv, .txt, .png, .jpg or .gif", "x = @points.npy"},
	{"NAME = @FILE LO..HI", "feed a picture whose black is LO and whose white is HI", "image = @cat.png -1..1"},
	{"NAME = zeros[SIZES]", "feed zeros, ones, normal, random or range; sizes may be left out", "x = random[2,3] -1..1"},
	{"NAME = NAME", "feed a result, or keep it under a new name", "y = scores"},
	{"NAME…", "compute tensors, outputs or a whole signature, and print them", "scores, loss"},
}

func help(_ context.Context, s *Session, _ []string) error {
	w := tabwriter.NewWriter(s.out, 0, 8, 2, ' ', 0)
	for _, f := range forms {
		fmt.Fprintf(w, "%s\t%s\t%s\n", f[0], f[1], f[2])
	}
	for _, c := range commands() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.usage, c.text, c.example)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(s.out, "A semicolon divides statements, # begins a comment. A name may be the end of a longer one.")
	return err
}

func runTargets(ctx context.Context, s *Session, args []string) error {
	var w wanted
	for _, name := range args {
		if s.isSignature(name) {
			if err := s.wantOne(&w, name); err != nil {
				return err
			}
			continue
		}
		o, isTensor, err := s.lookup(name)
		if err != nil {
			return err
		}
		if isTensor {
			return base.Usagef("%q is a tensor: run takes the names of nodes", name)
		}
		w.targets = append(w.targets, o.Node.Name)
	}
	if _, err := s.runWanted(ctx, w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(s.out, "done")
	return err
}

func summary(ctx context.Context, s *Session, args []string) error {
	items, err := s.fetch(ctx, args)
	if err != nil {
		return err
	}
	for _, x := range items {
		printSummary(s.out, x.label, x.value)
	}
	return nil
}

func hist(ctx context.Context, s *Session, args []string) error {
	items, err := s.fetch(ctx, args)
	if err != nil {
		return err
	}
	for _, x := range items {
		if err := printHistogram(s.out, x.label, x.value, s.screen); err != nil {
			return err
		}
	}
	return nil
}

func show(ctx context.Context, s *Session, args []string) error {
	t, err := s.one(ctx, args[0])
	if err != nil {
		return err
	}
	b, err := bitmapOf(args[0], t)
	if err != nil {
		return err
	}
	return draw(s.out, b, s.screen)
}

// mostRuns is the maximum number of runs of the command "time". Ctrl-C ends the command earlier.
const mostRuns = 1_000_000

func timed(ctx context.Context, s *Session, args []string) error {
	n := 10
	if len(args) == 2 {
		var err error
		if n, err = strconv.Atoi(args[1]); err != nil || n < 1 || n > mostRuns {
			return base.Usagef("time: %q is not a number of runs from 1 to %d", args[1], mostRuns)
		}
	}
	phase := s.working("compile")
	defer phase.Close()
	defer func(f func(string) *base.Phase) { s.working = f }(s.working)
	s.working = func(string) *base.Phase { return nil } // the progress line that is shown already also covers the runs
	begin := time.Now()
	if _, err := s.fetch(ctx, args[:1]); err != nil { // the first run may have to compile the signature
		return err
	}
	first := time.Since(begin)
	all := make([]time.Duration, n)
	for i := range all {
		phase.Is(fmt.Sprintf("run %d of %d", i+1, n))
		begin := time.Now()
		if _, err := s.fetch(ctx, args[:1]); err != nil {
			return err
		}
		all[i] = time.Since(begin)
	}
	phase.Close()
	slices.Sort(all)
	_, err := fmt.Fprintf(s.out, "%s: median %s, fastest %s, slowest %s; the first run took %s\n", base.Plural(n, "run"), short(all[n/2]), short(all[0]), short(all[n-1]), short(first))
	return err
}

// short rounds a duration to about three significant digits.
func short(d time.Duration) time.Duration {
	unit := time.Nanosecond
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

func seed(_ context.Context, s *Session, args []string) error {
	n, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil {
		return base.Usagef("seed: %q is not a number", args[0])
	}
	s.seed(n)
	return nil
}

func reset(ctx context.Context, s *Session, _ []string) error {
	return s.model.Reset(ctx, s.noInit)
}

func quit(context.Context, *Session, []string) error { return errQuit }

func drop(_ context.Context, s *Session, args []string) error {
	for _, name := range args {
		if s.values[name] != nil {
			delete(s.values, name)
			continue
		}
		tensors, err := s.fed(name)
		if err != nil {
			return err
		}
		dropped := false
		for _, t := range tensors {
			dropped = dropped || s.feeds[t] != nil
			delete(s.feeds, t)
		}
		if !dropped {
			return base.Usagef("%q is neither fed nor a kept value", name)
		}
	}
	return nil
}

func feeds(_ context.Context, s *Session, _ []string) error {
	for _, name := range base.SortedKeys(s.feeds) {
		fmt.Fprintf(s.out, "feed %s %v\n", name, s.feeds[name])
	}
	for _, name := range base.SortedKeys(s.values) {
		fmt.Fprintf(s.out, "value %s %v\n", name, s.values[name])
	}
	return nil
}
