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

// Passes has the flags for optional passes, for the number of their edits, and for limits. The compiling
// commands share these flags.
type Passes struct {
	without []string
	Fuel    Fuel
	Limits  Limits
}

// Fuel is the maximum number of edits of the optional passes; the zero value means unlimited.
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
	fl.StringSliceVar(&f.without, "without", nil, "optional passes to exclude; see \"graphc passes\"")
	fl.Var(&f.Fuel, "fuel", "maximum number of edits of the optional passes; -1 means unlimited")
	f.Limits.Register(fl)
}

// Apply sets the options from the flags.
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

// Tank returns a new counter with the number of edits that the compilation of one program may make, or nil
// if this number is unlimited.
func (f *Passes) Tank() *int {
	if !f.Fuel.Limited {
		return nil
	}
	n := f.Fuel.Edits
	return &n
}

// Args returns the flags as arguments for a child process.
func (f *Passes) Args() (args []string) {
	if len(f.without) > 0 {
		args = append(args, "--without="+strings.Join(f.without, ","))
	}
	if f.Fuel.Limited {
		args = append(args, "--fuel="+f.Fuel.String())
	}
	return append(args, f.Limits.Args()...)
}

// PassNames returns the names of the passes.
func PassNames() []string {
	var names []string
	for _, p := range passes.Table() {
		names = append(names, p.Name)
	}
	return names
}

// nearPass returns `; did you mean "fold"?` for the optional pass with the most similar name.
func nearPass(name string) string {
	var names []string
	for _, p := range passes.Table() {
		if !p.Required {
			names = append(names, p.Name)
		}
	}
	return base.Nearest(name, names)
}
