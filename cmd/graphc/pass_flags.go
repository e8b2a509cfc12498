package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes"
)

// passFlags say which optional passes run, how far, and within what limits; the
// commands that compile share them.
type passFlags struct {
	without []string
	fuel    fuel
	limits  limitFlags
}

// fuel is a number of edits; the zero value is any number.
type fuel struct {
	limited bool
	edits   int
}

// String implements pflag.Value.
func (f *fuel) String() string {
	if !f.limited {
		return "-1"
	}
	return strconv.Itoa(f.edits)
}

// Type implements pflag.Value.
func (f *fuel) Type() string { return "int" }

// Set implements pflag.Value.
func (f *fuel) Set(s string) error {
	n, err := strconv.Atoi(s)
	f.limited, f.edits = n >= 0, n
	return err
}

func (f *passFlags) register(fl *pflag.FlagSet) {
	fl.StringSliceVar(&f.without, "without", nil, "optional passes to leave out, as \"graphc passes\" lists them")
	fl.Var(&f.fuel, "fuel", "edits the optional passes may make; -1 is any number")
	f.limits.register(fl)
}

// apply puts what the flags say into the options.
func (f *passFlags) apply(o *graphc.Options) error {
	table := passes.Table()
	for _, name := range f.without {
		i := slices.IndexFunc(table, func(p passes.Pass) bool { return p.Name == name })
		if i >= 0 && table[i].Required {
			return usagef("--without %s: the pass is required", name)
		}
		if i < 0 {
			return usagef("--without %s: no such pass%s", name, nearPass(name))
		}
	}
	for _, name := range f.without {
		if !slices.Contains(o.Without, name) {
			o.Without = append(o.Without, name)
		}
	}
	if f.fuel.limited {
		o.Fuel = f.tank()
	}
	return f.limits.apply(&o.Limits)
}

// tank is the fuel for one program, nil for any amount.
func (f *passFlags) tank() *int {
	if !f.fuel.limited {
		return nil
	}
	n := f.fuel.edits
	return &n
}

// args are the flags in words, as a sub-process takes them.
func (f *passFlags) args() (args []string) {
	if len(f.without) > 0 {
		args = append(args, "--without="+strings.Join(f.without, ","))
	}
	if f.fuel.limited {
		args = append(args, "--fuel="+f.fuel.String())
	}
	return append(args, f.limits.args()...)
}

// nearPass is `; did you mean "fold"?` for the optional pass of the nearest name.
func nearPass(name string) string {
	var names []string
	for _, p := range passes.Table() {
		if !p.Required {
			names = append(names, p.Name)
		}
	}
	return nearest(name, names)
}

// nearest is `; did you mean "fold"?` for the nearest of some words, "" where none is near.
func nearest(word string, words []string) string {
	if s := ir.Nearest(word, words); s != "" {
		return fmt.Sprintf("; did you mean %q?", s)
	}
	return ""
}

// nearestFlag is `; did you mean --fuel?` for the nearest of some flags, "" where none is near.
func nearestFlag(name string, flags []string) string {
	if s := ir.Nearest(name, flags); s != "" {
		return fmt.Sprintf("; did you mean --%s?", s)
	}
	return ""
}
