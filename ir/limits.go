package ir

import (
	"fmt"
	"math"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// Limits bound the resources that an untrusted graph may use at compile time and when running. A
// field that is 0 has its default.
type Limits struct {
	Depth     int           // nesting of messages in the file
	Nodes     int           // nodes of the file, including those of its functions
	Inlined   int           // nodes after all calls are replaced by the bodies of functions
	Calls     int           // nesting of calls of functions
	FoldNode  int           // bytes of one constant that folding stores
	FoldTotal int           // bytes that folding may add to the constants of a graph
	Time      time.Duration // processor time for compiling
	RunBytes  int           // bytes of the buffers of one run
}

// LimitKind describes one field of Limits: its command-line flag, its key in graphc.yaml, its text
// in the documentation and its default.
type LimitKind struct {
	Flag    string // name of the command-line flag, such as max-nodes
	Key     string // name of the key in section limits of graphc.yaml, such as nodes
	Text    string
	Default int64 // the default of the limit; in nanoseconds if the field Time is true
	Time    bool
}

// The flags that raise limits, as errors name them.
const (
	FlagDepth     = "max-depth"
	FlagNodes     = "max-nodes"
	FlagInlined   = "max-inlined"
	FlagCalls     = "max-calls"
	FlagFoldNode  = "max-fold-node"
	FlagFoldTotal = "max-fold"
	FlagTime      = "max-time"
	FlagRunBytes  = "max-bytes"
)

// LimitKinds lists the limits in the order of the fields of Limits.
var LimitKinds = []LimitKind{
	{Flag: FlagDepth, Key: "depth", Default: 100, Text: "nesting depth of messages in the file"},
	{Flag: FlagNodes, Key: "nodes", Default: 2_000_000, Text: "nodes of the file, including those of its functions"},
	{Flag: FlagInlined, Key: "inlined", Default: 4_000_000, Text: "nodes after functions are inlined"},
	{Flag: FlagCalls, Key: "calls", Default: 100, Text: "nesting depth of function calls"},
	{Flag: FlagFoldNode, Key: "fold_node", Default: 10 << 20, Text: "bytes of one tensor computed at compile time"},
	{Flag: FlagFoldTotal, Key: "fold", Default: 256 << 20, Text: "bytes by which tensors computed at compile time make a program grow"},
	{Flag: FlagTime, Key: "time", Default: int64(time.Minute), Time: true, Text: "processor time that compiling may take"},
	{Flag: FlagRunBytes, Key: "bytes", Default: min(4<<30, math.MaxInt), Text: "bytes of the buffers of a run"},
}

// fields returns pointers to the limits in the order of LimitKinds.
func (l *Limits) fields() []any {
	return []any{&l.Depth, &l.Nodes, &l.Inlined, &l.Calls, &l.FoldNode, &l.FoldTotal, &l.Time, &l.RunBytes}
}

// WithDefaults returns the limits with defaults for those that are 0.
func (l Limits) WithDefaults() Limits {
	for i, p := range l.fields() {
		d := LimitKinds[i].Default
		switch p := p.(type) {
		case *int:
			if *p == 0 {
				*p = int(d)
			}
		case *time.Duration:
			if *p == 0 {
				*p = time.Duration(d)
			}
		}
	}
	return l
}

// Set sets the limit whose flag or key in graphc.yaml is name. It returns InvalidArgument if the
// value is not positive or the name is unknown.
func (l *Limits) Set(name string, v int64) error {
	for i, k := range LimitKinds {
		if name != k.Key && name != k.Flag {
			continue
		}
		if v <= 0 || !k.Time && v > math.MaxInt {
			return tensor.Errorf(tensor.InvalidArgument, "the limit %s is %d; a positive number is accepted", name, v)
		}
		switch p := l.fields()[i].(type) {
		case *int:
			*p = int(v)
		case *time.Duration:
			*p = time.Duration(v)
		}
		return nil
	}
	return tensor.Errorf(tensor.InvalidArgument, "unknown limit %q", name)
}

// Get returns the limit whose flag or key in graphc.yaml is name, or 0 if the name is unknown.
func (l Limits) Get(name string) int64 {
	for i, k := range LimitKinds {
		if name != k.Key && name != k.Flag {
			continue
		}
		switch p := l.fields()[i].(type) {
		case *int:
			return int64(*p)
		case *time.Duration:
			return int64(*p)
		}
	}
	return 0
}

// Exceeded returns the ResourceExhausted error for a graph that exceeds a limit. The message names
// the flag that raises the limit.
func Exceeded(flag, format string, args ...any) error {
	return tensor.Errorf(tensor.ResourceExhausted, "%s; --%s raises the limit", fmt.Sprintf(format, args...), flag)
}
