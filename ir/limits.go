package ir

import (
	"fmt"
	"math"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// Limits bound what an untrusted graph may take of the machine that compiles it,
// and of the one that runs it. A field that is 0 has its default.
type Limits struct {
	Depth     int           // how deep messages of the file nest
	Nodes     int           // of the file, with those of its functions
	Inlined   int           // nodes when all calls are replaced by the bodies of functions
	Calls     int           // how deep calls of functions nest
	FoldNode  int           // bytes of one constant that folding stores
	FoldTotal int           // bytes by which folding makes the constants of a graph grow
	Time      time.Duration // of the processor, for compiling
	RunBytes  int           // bytes of the buffers of one run
}

// LimitKind describes one of Limits: for the flag, the key of graphc.yaml and the documentation.
type LimitKind struct {
	Flag    string // of the command: max-nodes
	Key     string // below limits in graphc.yaml: nodes
	Text    string
	Default int64 // nanoseconds where Time
	Time    bool
}

// The flags by which errors say how a limit is raised.
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
	{Flag: FlagDepth, Key: "depth", Default: 100, Text: "how deep messages of the file may nest"},
	{Flag: FlagNodes, Key: "nodes", Default: 2_000_000, Text: "nodes of the file, with those of its functions"},
	{Flag: FlagInlined, Key: "inlined", Default: 4_000_000, Text: "nodes when bodies of functions stand in the place of calls"},
	{Flag: FlagCalls, Key: "calls", Default: 100, Text: "how deep calls of functions may nest"},
	{Flag: FlagFoldNode, Key: "fold_node", Default: 10 << 20, Text: "bytes of one tensor that is computed when compiling"},
	{Flag: FlagFoldTotal, Key: "fold", Default: 256 << 20, Text: "bytes by which tensors computed when compiling make a program grow"},
	{Flag: FlagTime, Key: "time", Default: int64(time.Minute), Time: true, Text: "processor time that compiling may take"},
	{Flag: FlagRunBytes, Key: "bytes", Default: min(4<<30, math.MaxInt), Text: "bytes of the buffers of a run"},
}

// fields are pointers to the limits in the order of LimitKinds.
func (l *Limits) fields() []any {
	return []any{&l.Depth, &l.Nodes, &l.Inlined, &l.Calls, &l.FoldNode, &l.FoldTotal, &l.Time, &l.RunBytes}
}

// WithDefaults returns the limits with the defaults of those that are not set.
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

// Set sets the limit that a key of graphc.yaml, or a flag, names. InvalidArgument for
// a value that is not positive and a name that is none.
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
	return tensor.Errorf(tensor.InvalidArgument, "there is no limit %q", name)
}

// Get returns the limit that a key or a flag names; 0 for a name that is none.
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

// Exceeded is the ResourceExhausted of a limit that a graph is beyond: what it is, and
// the flag that raises it.
func Exceeded(flag, format string, args ...any) error {
	return tensor.Errorf(tensor.ResourceExhausted, "%s; --%s raises the limit", fmt.Sprintf(format, args...), flag)
}
