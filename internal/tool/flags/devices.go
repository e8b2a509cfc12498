package flags

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/rt/device"
)

// Devices has the flags about devices. All commands that compile models have these flags.
type Devices struct {
	config       string // a ConfigProto
	Devices      []string
	tagged       []string // devices of a case, for use if neither the flags nor the ConfigProto list devices
	soft, pruned maybe
	log          bool
	spread       uint64
	gpu          string // kind of GPUs for which programs are built, "" for the default
	placement    string // explain, or empty
}

// Register defines the flags.
func (f *Devices) Register(fl *pflag.FlagSet) {
	fl.StringVar(&f.config, "session-config", "", "TensorFlow ConfigProto file (.pbtxt, .pb) to read options from; flags override it")
	fl.StringSliceVar(&f.Devices, "devices", nil, "devices to place nodes on: cpu:0,cpu:1 (default cpu:0)")
	f.soft.register(fl, "soft-placement", "false", "run nodes elsewhere whose device does not exist, instead of refusing them")
	fl.BoolVar(&f.log, "log-placement", false, "print the device of each node on standard error")
	f.pruned.register(fl, "place-pruned", "true", "place only what fetches and targets need; =false places the whole graph first")
	fl.StringVar(&f.placement, "placement", "", "explain: print the device of each node and the reason on standard error")
	fl.StringVar(&f.gpu, "gpu", "", "kind of GPUs of the built programs: cuda, or sim for simulated ones (default: sim for verify, else cuda)")
	fl.Uint64Var(&f.spread, "spread", 0, "place nodes at random with this seed; 0 means by the rules")
	if err := fl.MarkHidden("spread"); err != nil {
		panic(err) // cannot happen: the flag is defined above
	}
}

// Apply sets options from the flags. The lines of LogPlacement and ExplainPlacement, and those
// about ignored fields of a ConfigProto, are written to errw.
func (f *Devices) Apply(o *graphc.Options, errw io.Writer) error {
	if f.config != "" {
		if err := o.ReadSessionConfig(f.config, LogTo(errw)); err != nil {
			return err
		}
	}
	if _, err := pipeline.DeviceNames(f.Devices); err != nil {
		return base.Usagef("--devices: %w", err)
	}
	if f.gpu != "" && base.GPUTags[f.gpu] == "" {
		return base.Usagef("--gpu: %q: want cuda or sim", f.gpu)
	}
	if f.placement != "" && f.placement != "explain" {
		return base.Usagef("--placement: %q: want explain", f.placement)
	}
	if len(f.Devices) > 0 {
		o.Devices = f.Devices
	}
	if len(o.Devices) == 0 {
		o.Devices = f.tagged
	}
	o.SoftPlacement, o.PlaceWhole, o.Spread = f.soft.or(o.SoftPlacement), !f.pruned.or(!o.PlaceWhole), f.spread
	if f.log {
		o.LogPlacement = LogTo(errw)
	}
	if f.placement == "explain" {
		o.ExplainPlacement = LogTo(errw)
	}
	return nil
}

// ForGPUs returns the context for running the go command. If --devices lists a GPU, the context
// contains the kind of GPUs: the value of the flag --gpu or, if the flag is not set, the second
// argument.
func (f *Devices) ForGPUs(ctx context.Context, otherwise string) context.Context {
	names, _ := pipeline.DeviceNames(f.Devices) // checked by Apply
	for _, d := range names {
		if device.TypeOf(d) == "GPU" {
			return base.ForGPUs(ctx, cmp.Or(f.gpu, otherwise))
		}
	}
	return ctx
}

// Args returns those flags that are set, as command-line arguments for another process of graphc.
func (f *Devices) Args() (args []string) {
	if f.config != "" {
		args = append(args, "--session-config="+f.config)
	}
	if len(f.Devices) > 0 {
		args = append(args, "--devices="+strings.Join(f.Devices, ","))
	}
	if f.soft.given {
		args = append(args, "--soft-placement="+f.soft.String())
	}
	if f.log {
		args = append(args, "--log-placement")
	}
	if f.pruned.given {
		args = append(args, "--place-pruned="+f.pruned.String())
	}
	if f.placement != "" {
		args = append(args, "--placement="+f.placement)
	}
	if f.gpu != "" {
		args = append(args, "--gpu="+f.gpu)
	}
	if f.spread != 0 {
		args = append(args, "--spread="+strconv.FormatUint(f.spread, 10))
	}
	return args
}

// ForCase returns the flags with the devices with which a case was recorded. These are in the
// case's list of devices or in its tag devices-cpu-N. They are used only if neither the flags nor
// the ConfigProto list devices.
func (f Devices) ForCase(c *cases.Case) Devices {
	if len(c.Devices) > 0 {
		f.tagged = c.Devices
		return f
	}
	for _, tag := range c.Features {
		text, ok := strings.CutPrefix(tag, "devices-cpu-")
		n, err := strconv.Atoi(text)
		if !ok || err != nil {
			continue
		}
		for i := range n {
			f.tagged = append(f.tagged, fmt.Sprintf("cpu:%d", i))
		}
	}
	return f
}

// maybe is a bool flag that can also be unset.
type maybe struct{ given, value bool }

// register defines the flag. The help text shows the third argument as the default value.
func (m *maybe) register(fl *pflag.FlagSet, name, without, usage string) {
	f := fl.VarPF(m, name, "", usage)
	f.NoOptDefVal, f.DefValue = "true", without
}

// or returns the value of the flag. If the flag is not set, it returns v.
func (m *maybe) or(v bool) bool {
	if m.given {
		return m.value
	}
	return v
}

func (m *maybe) String() string { return strconv.FormatBool(m.value) }

// Type implements pflag.Value.
func (m *maybe) Type() string { return "bool" }

// Set implements pflag.Value.
func (m *maybe) Set(s string) error {
	v, err := strconv.ParseBool(s)
	m.given, m.value = true, v
	return err
}

// LogTo returns a function that writes a line to w.
func LogTo(w io.Writer) func(string) {
	return func(line string) { fmt.Fprintln(w, line) }
}
