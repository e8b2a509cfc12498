package flags

import (
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/ir"
)

// Limits has the flags for the limits on the resources that an untrusted graph may use. All
// commands that compile models have these flags.
type Limits struct{ Limits ir.Limits }

// Register defines the flags.
func (f *Limits) Register(fl *pflag.FlagSet) {
	for _, k := range ir.LimitKinds {
		v := &limitValue{&f.Limits, k}
		fl.VarPF(v, k.Flag, "", k.Text).DefValue = limitText(k, k.Default)
	}
}

// apply stores in *to the values of those limits whose flags are set. The other limits in *to stay
// unchanged.
func (f *Limits) apply(to *graphc.Limits) error {
	l := ir.Limits(*to)
	for _, k := range ir.LimitKinds {
		if v := f.Limits.Get(k.Flag); v != 0 {
			if err := l.Set(k.Flag, v); err != nil {
				return err
			}
		}
	}
	*to = graphc.Limits(l)
	return nil
}

// Args returns those flags that are set, as command-line arguments for another process of graphc.
func (f *Limits) Args() (args []string) {
	for _, k := range ir.LimitKinds {
		if v := f.Limits.Get(k.Flag); v != 0 {
			args = append(args, "--"+k.Flag+"="+limitText(k, v))
		}
	}
	return args
}

// limitText returns the value v of a limit as text for a flag.
func limitText(k ir.LimitKind, v int64) string {
	if k.Time {
		return time.Duration(v).String()
	}
	return strconv.FormatInt(v, 10)
}

// limitValue is the flag of one limit.
type limitValue struct {
	limits *ir.Limits
	kind   ir.LimitKind
}

// String implements pflag.Value.
func (v *limitValue) String() string {
	if v.limits == nil {
		return ""
	}
	return limitText(v.kind, v.limits.Get(v.kind.Flag))
}

// Type implements pflag.Value.
func (v *limitValue) Type() string {
	if v.kind.Time {
		return "duration"
	}
	return "int"
}

// Set implements pflag.Value.
func (v *limitValue) Set(s string) error {
	n, err := parseLimit(v.kind, s)
	if err != nil {
		return err
	}
	return v.limits.Set(v.kind.Flag, n)
}

// parseLimit parses the value of a flag: a duration such as 90s for a time limit, a number for
// another limit.
func parseLimit(k ir.LimitKind, s string) (int64, error) {
	if k.Time {
		d, err := time.ParseDuration(s)
		return int64(d), err
	}
	return strconv.ParseInt(s, 10, 64)
}
