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

// Passes has the flags for the optional passes, for the maximum number of their edits, and for
// limits. All commands that compile models have these flags.
type Passes struct {
	without []string
	Fuel    Fuel
	Limits  Limits
}

// Fuel is the maximum number of edits that the optional passes may make. The zero value is no
// limit.
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

// Apply sets options from the flags. It returns an error if a name in --without is not that of an
// optional pass.
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

// Tank returns a pointer to a new variable with the value of Fuel. The compilation of one program
// counts this variable down. Tank returns nil if there is no limit.
func (f *Passes) Tank() *int {
	if !f.Fuel.Limited {
		return nil
	}
	n := f.Fuel.Edits
	return &n
}

// Args returns those flags that are set, as command-line arguments for another process of graphc.
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

// nearPass returns a hint for error messages, such as `; did you mean "fold"?`, with the optional
// pass whose name is most similar to name. It returns "" if none is similar.
func nearPass(name string) string {
	var names []string
	for _, p := range passes.Table() {
		if !p.Required {
			names = append(names, p.Name)
		}
	}
	return base.Nearest(name, names)
}
