package casebuild

import (
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/lower"
)

// Options say how cases are compiled.
type Options struct {
	NoOpt, ExactConv bool
	AsGiven          bool // add no shapes to feeds
	Weights          lower.Weights
	Devices          flags.Devices
	Passes           flags.Passes
}

// Compiler compiles a case as the options say, on the devices that the case may have of its own.
func (o Options) Compiler(c *cases.Case) *Compiler {
	o.Devices = o.Devices.ForCase(c)
	return &Compiler{Options: o, Case: c}
}

// Args are the options as flags of a command line.
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
