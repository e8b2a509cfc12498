// Package program is the command line of an emitted program: it reads feeds from files, runs a
// signature and prints the results.
package program

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// New creates the program's model.
type New func(opts ...rt.Option) (rt.Program, error)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// Main runs the command line and exits: with 0 on success, 1 after a failure, and 2 for invalid
// arguments.
func Main(name, version string, make New) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c := &command{name: name, version: version, make: make, in: os.Stdin, out: os.Stdout, err: os.Stderr}
	os.Exit(c.run(ctx, os.Args[1:]))
}

type command struct {
	name, version string
	make          New
	in            io.Reader
	out, err      io.Writer

	flags     *flag.FlagSet
	feeds     feedFlags // the feeds of the single run if there is no --run
	runs      runFlags
	signature string
	outFile   string
	format    string
	weights   string
	save      string
	restore   string
	files     string
	bench     int
	span      time.Duration
	maxBytes  int
	// the limit in bytes for feeds: the value of --max-bytes, or the limit that the program was
	// compiled with
	readLimit int
	info      bool
	showVer   bool
	protocol  bool
	threads   int
	noInit    bool
	lines     bool
	observe   observing
}

// feedFlags collects -feed.
type feedFlags []string

func (f *feedFlags) String() string     { return strings.Join(*f, " ") }
func (f *feedFlags) Set(s string) error { *f = append(*f, s); return nil }

func (c *command) run(ctx context.Context, args []string) int {
	f := flag.NewFlagSet(c.name, flag.ContinueOnError)
	c.flags = f
	f.SetOutput(io.Discard) // package flag would print messages that name flags with one dash
	f.Usage = func() {}
	f.Var(feedsOf{c}, "feed", "`name=file`: feed a tensor from a .npy, .npz, .json or .csv file, from - (JSON on standard input) or from JSON in the argument (a string as it is); without a name, file.npz, or file.json or - with a JSON object, feeds all its members by name")
	f.StringVar(&c.signature, "signature", "", "the `name` of the signature to run; the first one if not given")
	f.Var(&c.runs, "run", "run the signature `name`, or name*N to run it N times; several --run flags run in order on one instance, each with the --feed flags after it")
	f.BoolVar(&c.lines, "lines", false, `answer each line of JSON on standard input, {"signature": "name", "feeds": {"x": [1, 2]}}, with a line of JSON`)
	f.BoolVar(&c.noInit, "no-init", false, "skip the model's initialization")
	f.StringVar(&c.outFile, "out", "", "write the results to `file` instead of standard output; .npz and .json choose the format")
	f.StringVar(&c.format, "format", "", "the results' `format`: json, text or npz (json if not given)")
	f.StringVar(&c.weights, "weights", "", "the weights `file`, if it is not embedded in the program")
	f.StringVar(&c.restore, "restore", "", "restore the variables from the checkpoint with this `prefix` before the run")
	f.StringVar(&c.save, "save", "", "save the variables to the checkpoint with this `prefix` after the run")
	f.StringVar(&c.files, "files", "", "allow the model's ops to read and write files below this `directory`")
	f.IntVar(&c.bench, "bench", 0, "run `n` times and print how long a run takes")
	f.DurationVar(&c.span, "time", 0, "run for at least this `duration`, with or without --bench, and print how long a run takes")
	f.IntVar(&c.maxBytes, "max-bytes", 0, "refuse runs that need more than this number of `bytes` for buffers, and feeds that need more")
	f.IntVar(&c.threads, "threads", 0, "use at most `n` threads")
	f.DurationVar(&c.observe.timeout, "timeout", 0, "end a run that takes longer than this `duration` with DeadlineExceeded")
	f.StringVar(&c.observe.trace, "trace", "", "write a trace of the steps to `file`, for chrome://tracing and Perfetto, or as a table if its name ends in .txt")
	f.StringVar(&c.observe.profile, "profile", "", "write the costs of nodes to `file`, for the compiler's --profile")
	f.StringVar(&c.observe.watchDir, "watch-dir", "", "write each tensor that the program was compiled to watch to a .npz file in this `folder`, with its value in the last run")
	f.BoolVar(&c.info, "info", false, "print the signatures as JSON")
	f.BoolVar(&c.showVer, "version", false, "print the version")
	f.BoolVar(&c.protocol, "protocol", false, "serve a benchmark: --protocol CASE THREADS")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			c.usage(c.err)
			return exitOK
		}
		c.misused(twoDashes(err.Error()))
		return exitUsage
	}
	if c.showVer {
		fmt.Fprintln(c.out, strings.TrimSpace(c.name+" "+c.version))
		return exitOK
	}
	if c.threads > 0 {
		runtime.GOMAXPROCS(c.threads)
	}
	var usage usageError
	if err := c.do(ctx); errors.As(err, &usage) {
		c.misused(err.Error())
		return exitUsage
	} else if err != nil {
		fmt.Fprintf(c.err, "%s: %v\n", c.name, err)
		return exitFailure
	}
	return exitOK
}

// usageError is an error for invalid arguments.
type usageError string

func (e usageError) Error() string { return string(e) }

// usagef returns a usageError. Long arguments are clipped.
func usagef(format string, args ...any) error {
	return usageError(tensor.Message(tensor.Errorf(tensor.InvalidArgument, format, args...)))
}

func (c *command) do(ctx context.Context) error {
	if c.protocol {
		return c.speak(ctx, c.flags.Args())
	}
	if c.flags.NArg() > 0 {
		return usagef("unexpected argument %q", c.flags.Arg(0))
	}
	var opts []rt.Option
	if c.files != "" {
		root, err := os.OpenRoot(c.files)
		if err != nil {
			return err
		}
		defer root.Close()
		opts = append(opts, rt.WithFiles(root))
	}
	p, err := c.open(opts...)
	if err != nil {
		return err
	}
	if c.info {
		return writeInfo(c.out, p.Signatures())
	}
	saver, err := c.saver(p)
	if err != nil {
		return err
	}
	if c.restore != "" {
		if err := saver.Restore(c.restore); err != nil {
			return err
		}
	}
	under, err := c.observe.begin(ctx)
	if err != nil {
		return err
	}
	if c.lines {
		err = c.serve(under, p)
	} else {
		err = c.all(under, ctx, p)
	}
	if oerr := c.observe.end(); err == nil {
		err = oerr
	}
	if err == nil && c.save != "" {
		err = saver.Save(c.save)
	}
	if m, ok := p.(rt.Closer); ok && err == nil {
		err = m.Close()
	}
	return err
}

// saver returns the model as a Saver if --save or --restore is given, otherwise nil.
func (c *command) saver(p rt.Program) (rt.Saver, error) {
	if c.save == "" && c.restore == "" {
		return nil, nil
	}
	s, ok := p.(rt.Saver)
	if !ok {
		return nil, usagef("the model has no variables to save or restore")
	}
	return s, nil
}

func (c *command) open(opts ...rt.Option) (rt.Program, error) {
	if c.maxBytes != 0 {
		opts = append(opts, rt.WithMaxBytes(c.maxBytes))
	}
	if c.noInit {
		opts = append(opts, rt.WithoutInit())
	}
	if c.weights != "" {
		opts = append(opts, rt.WithWeights(c.weights))
	}
	c.readLimit = cmp.Or(max(c.maxBytes, 0), min(rt.DefaultMaxBytes, math.MaxInt))
	return c.make(append(opts, rt.TellMaxBytes(&c.readLimit))...)
}

// pick returns the signature that the flag --signature names. If the flag is not given, it returns
// the first signature.
func (c *command) pick(p rt.Program) (*rt.Signature, error) {
	all := p.Signatures()
	if !c.given("signature") && len(all) > 0 {
		return all[0], nil
	}
	return signatureOf(p, c.signature)
}

// misused prints what is wrong with the arguments.
func (c *command) misused(text string) {
	fmt.Fprintf(c.err, "%s: %s\nRun %s --help for the feeds and the flags.\n", c.name, text, c.name)
}

// twoDashes returns an error message of package flag with two dashes instead of one before the
// flag's name.
func twoDashes(text string) string {
	for _, before := range []string{"not defined: ", "needs an argument: ", " for flag ", " for "} {
		if i := strings.LastIndex(text, before+"-"); i >= 0 {
			i += len(before)
			return text[:i] + "-" + text[i:]
		}
	}
	return text
}

// printFlags prints the name, the value and a description of each flag.
func (c *command) printFlags(w io.Writer) {
	c.flags.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		if value != "" {
			value = " " + value
		}
		fmt.Fprintf(w, "  --%s%s\n    \t%s\n", f.Name, value, text)
	})
}

// usage prints the flags, and the feeds and fetches of each signature.
func (c *command) usage(w io.Writer) {
	fmt.Fprintf(w, "Usage: %s --feed name=file ... [flags]\n\nFlags:\n", c.name)
	c.printFlags(w)
	p, err := c.make()
	if err != nil {
		return
	}
	for _, s := range p.Signatures() {
		name := s.Name
		if name == "" {
			name = s.Method
		}
		fmt.Fprintf(w, "\nSignature %q\n", name)
		for i := range s.Feeds {
			fmt.Fprintf(w, "  feed   %s\n", portText(&s.Feeds[i]))
		}
		for i := range s.Fetches {
			fmt.Fprintf(w, "  fetch  %s\n", portText(&s.Fetches[i]))
		}
	}
}

func portText(p *rt.Port) string {
	if p.Key != "" && p.Key != p.Name {
		return fmt.Sprintf("%q, %q  %v", p.Key, p.Name, p)
	}
	return fmt.Sprintf("%q  %v", p.Name, p)
}
