package casebuild

import (
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/lower"
)

// Options select how cases are compiled.
type Options struct {
	NoOpt, ExactConv bool
	AsGiven          bool // whether to compile without additional shapes of feeds
	Weights          lower.Weights
	Devices          flags.Devices
	Passes           flags.Passes
}

// Compiler returns a Compiler for a case with these options. If neither the flags nor a ConfigProto
// list devices, the devices are those of the case.
func (o Options) Compiler(c *cases.Case) *Compiler {
	o.Devices = o.Devices.ForCase(c)
	return &Compiler{Options: o, Case: c}
}

// Args returns the options as command-line flags.
func (o *Options) Args() (args []string) {
	if o.NoOpt {
		args = append(args, "--noopt")
	}
	if o.AsGiven {
		args = append(args, "--as-given")
	}
	if o.ExactConv {
		args = append(args, "--exact-conv")
	}
	if o.Weights != lower.WeightsF32 {
		args = append(args, "--weights="+o.Weights.String())
	}
	return append(append(args, o.Devices.Args()...), o.Passes.Args()...)
}
