package pipeline

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/passes"
	"github.com/graphc/graphc/rt/tensor"
)

// Session sets options from the configuration of a TensorFlow session: placement, passes, threads
// and the timeout. For fields that are not set, it uses the defaults of a session; for example, the
// whole graph is placed. Session calls log with a line for each set field that has no effect on a
// compiled program; the line has the reason. If the configuration requests it, log is also called
// later, when nodes are placed, with the lines of LogPlacement. For a value that a session rejects,
// the error has the same code as in a session: InvalidArgument or NotFound.
func (o *Options) Session(c *pb.ConfigProto, log func(line string)) error {
	o.SoftPlacement, o.NoPlacePruned = false, true
	s := &session{o: o, c: c, log: log}
	s.message(c.ProtoReflect(), "")
	s.optimizers()
	if len(s.errs) > 0 {
		return s.errs[0]
	}
	for _, line := range s.ignored {
		log(line)
	}
	slices.Sort(o.Without)
	o.Without = slices.Compact(o.Without)
	return nil
}

// session has the state of one call of Options.Session.
type session struct {
	o       *Options
	c       *pb.ConfigProto
	log     func(string)
	ignored []string
	errs    []error
}

func (s *session) fail(code tensor.Code, format string, args ...any) {
	s.errs = append(s.errs, tensor.Errorf(code, "session config: "+format, args...))
}

func (s *session) ignore(field, why string) {
	s.ignored = append(s.ignored, fmt.Sprintf("session config: %s is ignored: %s", field, why))
}

// message processes the fields of m that are set, in the order of their numbers. The parameter path
// is the prefix of the names of these fields; it is "" or ends in a dot.
func (s *session) message(m protoreflect.Message, path string) {
	fields := m.Descriptor().Fields()
	var set []protoreflect.FieldDescriptor
	for i := range fields.Len() {
		if f := fields.Get(i); m.Has(f) {
			set = append(set, f)
		}
	}
	slices.SortFunc(set, func(a, b protoreflect.FieldDescriptor) int { return int(a.Number()) - int(b.Number()) })
	for _, f := range set {
		name, v := path+string(f.Name()), m.Get(f)
		k := slices.IndexFunc(settings, func(x Setting) bool { return x.Field == name })
		switch {
		case k >= 0 && settings[k].set != nil:
			settings[k].set(s, name, v)
		case k >= 0:
			s.ignore(name, settings[k].Ignored)
		case f.Message() != nil && !f.IsList() && !f.IsMap():
			s.message(v.Message(), name+".")
		default:
			s.fail(tensor.Internal, "unknown field %s", name)
		}
	}
}

// without excludes a group of passes.
func (s *session) without(group string) {
	s.o.Without = append(s.o.Without, passesOf(group)...)
}

// optimizers selects passes by those fields whose effects depend on each other, such as the
// optimization level and the list of optimizers.
func (s *session) optimizers() {
	g := s.c.GetGraphOptions()
	level := g.GetOptimizerOptions()
	if level.GetOptLevel() < pb.OptimizerOptions_L1 { // from level L1 on, a session always folds constants and eliminates common subexpressions
		if !level.GetDoConstantFolding() {
			s.without("constant_folding")
		}
		if !level.GetDoCommonSubexpressionElimination() {
			s.without("common_subgraph_elimination")
		}
	}
	r := g.GetRewriteOptions()
	only := map[string]bool{}
	for _, name := range r.GetOptimizers() {
		full := name
		if f, ok := shortNames[name]; ok {
			full = f
		}
		if _, ok := optimisers[full]; !ok && full != "pruning" && full != "function" && full != "debug_stripper" {
			s.ignore(fmt.Sprintf("graph_options.rewrite_options.optimizers: %q", name), "unknown optimizer")
		}
		only[full] = true
		s.o.StripDebug = s.o.StripDebug || full == "debug_stripper"
	}
	for group := range optimisers {
		if r.GetDisableMetaOptimizer() && level.GetOptLevel() >= pb.OptimizerOptions_L1 && (group == "constant_folding" || group == "common_subgraph_elimination") {
			continue // opt_level keeps them
		}
		if r.GetDisableMetaOptimizer() || len(only) > 0 && !only[group] {
			s.without(group)
		}
	}
}

// toggle processes a field that enables or disables one optimizer of a session. OFF excludes the
// passes that correspond to this optimizer.
func toggle(s *session, name string, v protoreflect.Value) {
	group := name[strings.LastIndexByte(name, '.')+1:]
	switch t := pb.RewriterConfig_Toggle(v.Enum()); t {
	case pb.RewriterConfig_ON:
	case pb.RewriterConfig_OFF:
		s.without(group)
	default:
		s.ignore(name+": "+t.String(), "passes are on or off; they are on")
	}
}

// unlessOn returns the setter for the toggle of a rewrite that graphc never makes, and that a
// session makes only if the toggle is on. The setter reports the field as ignored, unless its value
// is OFF.
func unlessOn(why string) func(*session, string, protoreflect.Value) {
	return func(s *session, name string, v protoreflect.Value) {
		if pb.RewriterConfig_Toggle(v.Enum()) != pb.RewriterConfig_OFF {
			s.ignore(name, why)
		}
	}
}

// quiet does nothing. It is the setter for fields whose effect is always present in compiled
// programs.
func quiet(*session, string, protoreflect.Value) {}

func deviceCount(s *session, name string, v protoreflect.Value) {
	counts := map[string]int{}
	var kinds []string
	v.Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		kinds = append(kinds, k.String())
		counts[k.String()] = int(v.Int())
		return true
	})
	slices.Sort(kinds)
	for _, k := range kinds {
		n := counts[k]
		switch {
		case k == "GPU" && n != 0:
			s.ignore(fmt.Sprintf("%s: %q", name, k), "GPUs are given with --devices")
		case k != "CPU" && n != 0:
			s.ignore(fmt.Sprintf("%s: %q", name, k), "unsupported type of device: want CPU or GPU")
		case k != "CPU":
		case n <= 0:
			s.fail(tensor.NotFound, "%s: CPU: %d: a program needs at least one CPU device", name, n)
		case n > maxDevices:
			s.fail(tensor.InvalidArgument, "%s: CPU: %d devices: the maximum is %d", name, n, maxDevices)
		default:
			s.o.Devices = nil
			for i := range n {
				s.o.Devices = append(s.o.Devices, fmt.Sprintf("cpu:%d", i))
			}
		}
	}
}

// maxThreads is the largest number of threads that a configuration may set.
const maxThreads = 1024

// threads returns the number of threads n, or records an error if n is below 0 or above maxThreads.
// It accepts 0, which has the same meaning as in Defaults and Pool: as many threads as the process
// has.
func (s *session) threads(name string, n int64) int {
	if n < 0 || n > maxThreads {
		s.fail(tensor.InvalidArgument, "%s: %d threads: want 0 to %d", name, n, maxThreads)
		return 0
	}
	return int(n)
}

func intraThreads(s *session, name string, v protoreflect.Value) {
	s.o.Defaults.Threads = s.threads(name, v.Int())
}

func interThreads(s *session, name string, v protoreflect.Value) {
	n := v.Int()
	if n < 0 { // with a negative number, a session runs all nodes in the caller's thread
		n = 1
	}
	s.o.Defaults.InterThreads = s.threads(name, n)
}

func pools(s *session, name string, v protoreflect.Value) {
	byName := map[string]int{}
	for i := range v.List().Len() {
		p := v.List().Get(i).Message().Interface().(*pb.ThreadPoolOptionProto)
		n := s.threads(fmt.Sprintf("%s[%d]", name, i), int64(p.NumThreads))
		if p.GlobalName != "" {
			if had, twice := byName[p.GlobalName]; twice && had != n {
				s.fail(tensor.InvalidArgument, "%s: pool %q has %d threads in one place and %d in another", name, p.GlobalName, had, n)
			}
			byName[p.GlobalName] = n
		}
		s.o.Defaults.Pools = append(s.o.Defaults.Pools, Pool{Name: p.GlobalName, Threads: n})
	}
}

func timeout(s *session, _ string, v protoreflect.Value) {
	const most = math.MaxInt64 / int64(time.Millisecond)
	if ms := v.Int(); ms > 0 { // a session ignores limits of 0 and below
		s.o.Defaults.Timeout = time.Duration(min(ms, most)) * time.Millisecond
	}
}

func executor(s *session, name string, v protoreflect.Value) {
	switch t := v.String(); t {
	case "DEFAULT":
	case "SINGLE_THREADED_EXECUTOR":
		s.o.Defaults.InterThreads = 1
	default:
		s.fail(tensor.NotFound, "%s: unknown executor %q: want DEFAULT or SINGLE_THREADED_EXECUTOR", name, t)
	}
}

func metadata(s *session, name string, v protoreflect.Value) {
	if m := v.Message().Interface().(*pb.SessionMetadata); m.Version < 0 {
		s.fail(tensor.InvalidArgument, "%s: the version %d is negative", name, m.Version)
		return
	}
	s.ignore(name, "no kernel asks for the session's name")
}

// optimisers maps the toggle of each optimizer of a session to the passes that correspond to the
// optimizer. The toggle arithmetic_optimization has nil, but corresponds to all optional passes
// that appear neither in this map nor in the variable unnamed.
var optimisers = map[string][]string{
	"constant_folding":            {"fold", "fill", "neutral", "constants"},
	"common_subgraph_elimination": {"cse"},
	"dependency_optimization":     {"identity"},
	"loop_optimization":           {"branch", "hoist"},
	"shape_optimization":          {"reshape"},
	"layout_optimizer":            {"transpose", "contract"},
	arithmetic:                    nil,
	"remapping":                   {"settle", "batchnorm", "layernorm", "activation", "softmax", "sink", "fusebias"},
}

// unnamed lists the optional passes that correspond to no optimizer of a session. A configuration
// cannot exclude them.
var unnamed = []string{"arrays"}

const arithmetic = "arithmetic_optimization"

// passesOf returns the names of the passes that correspond to a toggle of optimisers.
func passesOf(group string) []string {
	if group != arithmetic {
		return optimisers[group]
	}
	in := map[string]bool{}
	for _, p := range unnamed {
		in[p] = true
	}
	for _, ps := range optimisers {
		for _, p := range ps {
			in[p] = true
		}
	}
	var rest []string
	for _, p := range passes.Table() {
		if !p.Required && !in[p.Name] {
			rest = append(rest, p.Name)
		}
	}
	return rest
}

// shortNames maps names of optimizers in RewriterConfig.optimizers to the names of their toggles.
var shortNames = map[string]string{
	"constfold": "constant_folding", "shape": "shape_optimization", "remap": "remapping", "layout": "layout_optimizer",
	"arithmetic": "arithmetic_optimization", "loop": "loop_optimization", "dependency": "dependency_optimization",
}

// the(group) returns a text for the documentation: the list of the passes that a toggle controls.
// The parameter group is the name of the toggle.
func the(group string) string {
	if group == arithmetic {
		return "the optional passes that no other toggle excludes, except " + listOf(unnamed)
	}
	return "the passes " + listOf(optimisers[group])
}

// listOf returns the names in backquotes, separated by commas.
func listOf(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

const toggleOff = protoreflect.EnumNumber(pb.RewriterConfig_OFF)
