package flags

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/passes"
)

// Passes say which optional passes run, how far, and within what limits; the
// commands that compile share them.
type Passes struct {
	without []string
	Fuel    Fuel
	Limits  Limits
}

// Fuel is a number of edits; the zero value is any number.
type Fuel struct {
	Limited bool
	Edits   int
}

// String implements pflag.Value.
func (f *Fuel) String() string {
	if !f.Limited {
		return "-1"
	}
	return strconv.Itoa(f.Edits)
}

// Type implements pflag.Value.
func (f *Fuel) Type() string { return "int" }

// Set implements pflag.Value.
func (f *Fuel) Set(s string) error {
	n, err := strconv.Atoi(s)
	f.Limited, f.Edits = n >= 0, n
	return err
}

// Register defines the flags.
func (f *Passes) Register(fl *pflag.FlagSet) {
	fl.StringSliceVar(&f.without, "without", nil, "optional passes to leave out, as \"graphc passes\" lists them")
	fl.Var(&f.Fuel, "fuel", "edits the optional passes may make; -1 is any number")
	f.Limits.Register(fl)
}

// Apply puts what the flags say into the options.
func (f *Passes) Apply(o *graphc.Options) error {
	table := passes.Table()
	for _, name := range f.without {
		i := slices.IndexFunc(table, func(p passes.Pass) bool { return p.Name == name })
		if i >= 0 && table[i].Required {
			return base.Usagef("--without %s: the pass is required", name)
		}
		if i < 0 {
			return base.Usagef("--without %s: no such pass%s", name, nearPass(name))
		}
	}
	for _, name := range f.without {
		if !slices.Contains(o.Without, name) {
			o.Without = append(o.Without, name)
		}
	}
	if f.Fuel.Limited {
		o.Fuel = f.Tank()
	}
	return f.Limits.apply(&o.Limits)
}

// Tank is the fuel for one program, nil for any amount.
func (f *Passes) Tank() *int {
	if !f.Fuel.Limited {
		return nil
	}
	n := f.Fuel.Edits
	return &n
}

// Args are the flags in words, as a sub-process takes them.
func (f *Passes) Args() (args []string) {
	if len(f.without) > 0 {
		args = append(args, "--without="+strings.Join(f.without, ","))
	}
	if f.Fuel.Limited {
		args = append(args, "--fuel="+f.Fuel.String())
	}
	return append(args, f.Limits.Args()...)
}

// PassNames are the names of the passes.
func PassNames() []string {
	var names []string
	for _, p := range passes.Table() {
		names = append(names, p.Name)
	}
	return names
}

// nearPass is `; did you mean "fold"?` for the optional pass of the nearest name.
func nearPass(name string) string {
	var names []string
	for _, p := range passes.Table() {
		if !p.Required {
			names = append(names, p.Name)
		}
	}
	return base.Nearest(name, names)
}
