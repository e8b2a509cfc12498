package pipeline

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/passes"
	"github.com/graphc/graphc/rt/tensor"
)

var update = flag.Bool("update", false, "rewrite the table of docs/session-config.md")

// configFields lists the paths of all fields of m and of the messages in it.
func configFields(m protoreflect.MessageDescriptor, path string) (all []string) {
	for i := range m.Fields().Len() {
		f := m.Fields().Get(i)
		name := path + string(f.Name())
		all = append(all, name)
		if f.Message() != nil && !f.IsList() && !f.IsMap() {
			all = append(all, configFields(f.Message(), name+".")...)
		}
	}
	return all
}

// TestSettings checks that exactly one setting applies to each field of a ConfigProto. The setting
// may be that of the field or of a message that contains the field. A message may also have no
// setting if all its fields have one.
func TestSettings(t *testing.T) {
	fields := configFields((&pb.ConfigProto{}).ProtoReflect().Descriptor(), "")
	named := map[string]bool{}
	for _, s := range Settings() {
		if named[s.Field] {
			t.Errorf("%s has two settings", s.Field)
		}
		named[s.Field] = true
		if !slices.Contains(fields, s.Field) {
			t.Errorf("a ConfigProto has no field %s", s.Field)
		}
		if s.Effect == "" && s.Ignored == "" || (s.Effect != "" && s.set == nil) {
			t.Errorf("%s: what becomes of it is not said: %+v", s.Field, s)
		}
	}
	for _, f := range fields {
		of := 0
		for s := range named {
			if f == s || strings.HasPrefix(f, s+".") || strings.HasPrefix(s, f+".") {
				of++
			}
		}
		if of == 0 {
			t.Errorf("%s has no setting", f)
		}
	}
	in := map[string]string{}
	for _, p := range unnamed {
		in[p] = "unnamed"
	}
	for g := range optimisers {
		for _, p := range passesOf(g) {
			if in[p] != "" {
				t.Errorf("pass %s is left out by %s and by %s", p, in[p], g)
			}
			in[p] = g
		}
	}
	for _, p := range passes.Table() {
		if !p.Required && in[p.Name] == "" {
			t.Errorf("pass %s belongs to no toggle", p.Name)
		}
		if !p.Required {
			delete(in, p.Name)
		}
	}
	for p, g := range in {
		t.Errorf("%s: there is no optional pass %s", g, p)
	}
}

// TestSettingsDoc compares the table of docs/session-config.md with the settings.
func TestSettingsDoc(t *testing.T) {
	const doc = "../../docs/session-config.md"
	old, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| field | what it does | ignored |\n|---|---|---|\n")
	list := slices.Clone(Settings())
	order := configFields((&pb.ConfigProto{}).ProtoReflect().Descriptor(), "")
	slices.SortStableFunc(list, func(x, y Setting) int { return slices.Index(order, x.Field) - slices.Index(order, y.Field) })
	for _, s := range list {
		b.WriteString("| `" + s.Field + "` | " + s.Effect + " | " + s.Ignored + " |\n")
	}
	head, _, ok := strings.Cut(string(old), "| field |")
	if !ok {
		t.Fatal("no table is found")
	}
	if want := head + b.String(); want != string(old) {
		if !*update {
			t.Fatalf("%s is stale: go test ./internal/pipeline -run TestSettingsDoc -update", doc)
		}
		if err := os.WriteFile(doc, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSession(t *testing.T) {
	full := Options{NoPlacePruned: true}
	with := func(f func(*Options)) Options {
		o := full
		f(&o)
		return o
	}
	for name, c := range map[string]struct {
		text    string
		want    Options
		ignored []string
	}{
		"empty":  {"", full, nil},
		"pruned": {"graph_options { place_pruned_graph: true }", Options{}, nil},
		"devices": {`device_count { key: "CPU" value: 3 } device_count { key: "GPU" value: 1 } allow_soft_placement: true`,
			with(func(o *Options) { o.Devices, o.SoftPlacement = []string{"cpu:0", "cpu:1", "cpu:2"}, true }),
			[]string{`device_count: "GPU" is ignored: GPUs are given with --devices`}},
		"no gpu": {`device_count { key: "GPU" value: 0 }`, full, nil},
		"threads": {"intra_op_parallelism_threads: 2 inter_op_parallelism_threads: 3 use_per_session_threads: true operation_timeout_in_ms: 20",
			with(func(o *Options) {
				o.Defaults = Defaults{Threads: 2, InterThreads: 3, OwnThreads: true, Timeout: 20 * time.Millisecond}
			}), nil},
		"caller's thread": {"inter_op_parallelism_threads: -1", with(func(o *Options) { o.Defaults.InterThreads = 1 }), nil},
		"no limit":        {"operation_timeout_in_ms: -5", full, nil},
		"longest":         {"operation_timeout_in_ms: 9223372036854775807", with(func(o *Options) { o.Defaults.Timeout = 9223372036854 * time.Millisecond }), nil},
		"pools": {`session_inter_op_thread_pool { num_threads: 2 global_name: "a" } session_inter_op_thread_pool { } session_inter_op_thread_pool { num_threads: 2 global_name: "a" }`,
			with(func(o *Options) { o.Defaults.Pools = []Pool{{"a", 2}, {"", 0}, {"a", 2}} }), nil},
		"one thread": {`experimental { executor_type: "SINGLE_THREADED_EXECUTOR" }`, with(func(o *Options) { o.Defaults.InterThreads = 1 }), nil},
		"level 0": {"graph_options { optimizer_options { opt_level: L0 } }", with(func(o *Options) {
			o.Without = slices.Sorted(slices.Values(append([]string{"cse"}, optimisers["constant_folding"]...)))
		}), nil},
		"level 0 with folding": {"graph_options { optimizer_options { opt_level: L0 do_constant_folding: true } }",
			with(func(o *Options) { o.Without = []string{"cse"} }), nil},
		"level 1": {"graph_options { optimizer_options { opt_level: L1 do_function_inlining: true max_folded_constant_in_bytes: 64 global_jit_level: ON_2 } infer_shapes: true timeline_step: 3 }",
			with(func(o *Options) { o.MaxFolded = 64 }),
			[]string{"graph_options.timeline_step is ignored: a call is traced", "graph_options.optimizer_options.global_jit_level is ignored: the whole graph"}},
		"toggles": {"graph_options { rewrite_options { constant_folding: OFF loop_optimization: OFF shape_optimization: ON remapping: AGGRESSIVE function_optimization: ON debug_stripper: ON scoped_allocator_optimization: OFF } }",
			with(func(o *Options) {
				o.Without, o.StripDebug = slices.Sorted(slices.Values(slices.Concat(optimisers["constant_folding"], optimisers["loop_optimization"]))), true
			}),
			[]string{"rewrite_options.function_optimization is ignored: functions are always", "remapping: AGGRESSIVE is ignored: passes are on or off"}},
		"only": {`graph_options { rewrite_options { optimizers: "constfold" optimizers: "pruning" optimizers: "nonesuch" } }`,
			with(func(o *Options) {
				for g := range optimisers {
					if g != "constant_folding" {
						o.Without = append(o.Without, passesOf(g)...)
					}
				}
				slices.Sort(o.Without)
			}), []string{`rewrite_options.optimizers: "nonesuch" is ignored`}},
		"no optimizer": {"graph_options { rewrite_options { disable_meta_optimizer: true } }",
			with(func(o *Options) {
				for g := range optimisers {
					if g != "constant_folding" && g != "common_subgraph_elimination" {
						o.Without = append(o.Without, passesOf(g)...)
					}
				}
				slices.Sort(o.Without)
			}), nil},
		"far": {`gpu_options { allow_growth: true } cluster_def { job { name: "worker" } } placement_period: 5 device_filters: "/job:ps" experimental { use_tfrt: true session_metadata { name: "m" } }`, full,
			[]string{"placement_period is ignored: nodes are placed once", "device_filters is ignored", "gpu_options is ignored: a program", "cluster_def is ignored: the program is one process",
				"experimental.session_metadata is ignored: no kernel", "experimental.use_tfrt is ignored"}},
	} {
		m := &pb.ConfigProto{}
		if err := prototext.Unmarshal([]byte(c.text), m); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var o Options
		var lines []string
		if err := o.Session(m, func(line string) { lines = append(lines, line) }); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(o, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, o, c.want)
		}
		if len(lines) != len(c.ignored) {
			t.Errorf("%s: ignored %q, want %q", name, lines, c.ignored)
		}
		for _, w := range c.ignored {
			if !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, w) }) {
				t.Errorf("%s: %q lacks %q", name, lines, w)
			}
		}
	}
}

func TestSessionLog(t *testing.T) {
	var o Options
	var lines []string
	if err := o.Session(&pb.ConfigProto{LogDevicePlacement: true}, func(l string) { lines = append(lines, l) }); err != nil {
		t.Fatal(err)
	}
	if o.LogPlacement == nil || len(lines) > 0 {
		t.Fatalf("log %t, lines %q", o.LogPlacement != nil, lines)
	}
	if o.LogPlacement("n: (Op): d"); len(lines) != 1 {
		t.Errorf("lines %q", lines)
	}
}

func TestSessionRefused(t *testing.T) {
	for text, want := range map[string]tensor.Code{
		`device_count { key: "CPU" value: 0 }`:             tensor.NotFound,
		`device_count { key: "CPU" value: -1 }`:            tensor.NotFound,
		`device_count { key: "CPU" value: 100000 }`:        tensor.InvalidArgument,
		"intra_op_parallelism_threads: -1":                 tensor.InvalidArgument,
		"inter_op_parallelism_threads: 2147483647":         tensor.InvalidArgument,
		"session_inter_op_thread_pool { num_threads: -2 }": tensor.InvalidArgument,
		`session_inter_op_thread_pool { num_threads: 2 global_name: "a" } session_inter_op_thread_pool { global_name: "a" }`: tensor.InvalidArgument,
		`experimental { executor_type: "NONE" }`:            tensor.NotFound,
		"experimental { session_metadata { version: -1 } }": tensor.InvalidArgument,
	} {
		m := &pb.ConfigProto{}
		if err := prototext.Unmarshal([]byte(text), m); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := new(Options).Session(m, func(string) {}); tensor.CodeOf(err) != want {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
}

// TestReadSessionConfig: text and binary forms are equivalent, and the error for an unknown field
// has its position.
func TestReadSessionConfig(t *testing.T) {
	dir := t.TempDir()
	read := func(name string, data []byte) (*pb.ConfigProto, error) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return frontend.ReadSessionConfig(path)
	}
	want := &pb.ConfigProto{InterOpParallelismThreads: 3, GraphOptions: &pb.GraphOptions{PlacePrunedGraph: true}}
	raw, err := proto.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	const text = "inter_op_parallelism_threads: 3\ngraph_options { place_pruned_graph: true }\n"
	for name, data := range map[string][]byte{"c.pb": raw, "c.pbtxt": []byte(text), "c.txt": []byte(text), "text.pb": []byte(text)} {
		if got, err := read(name, data); err != nil || !proto.Equal(got, want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	odd := &pb.AttrValue{}
	odd.ProtoReflect().SetUnknown([]byte("\x98\x06\x01"))
	optimizer, err := proto.Marshal(&pb.ConfigProto{GraphOptions: &pb.GraphOptions{RewriteOptions: &pb.RewriterConfig{
		CustomOptimizers: []*pb.RewriterConfig_CustomGraphOptimizer{{Name: "o", ParameterMap: map[string]*pb.AttrValue{"k": odd}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	// Each message has an unknown field: field 77 in a ConfigProto, field 1 in a GraphOptions, or
	// field 99 in the options of a thread pool.
	for _, c := range []struct{ name, data, want string }{
		{"a.pb", "\xe8\x04\x01", "ConfigProto has no field 77"},
		{"b.pb", "\x52\x02\x08\x01", "GraphOptions has no field 1 in graph_options"},
		{"c.pb", "\x62\x03\x98\x06\x01", "ThreadPoolOptionProto has no field 99 in session_inter_op_thread_pool"},
		{"d.pb", "\x62\x63", "not a ConfigProto"},
		// The message e.pb also has a device_count. In f.pb, field 99 is in the parameter of a
		// custom optimizer.
		{"e.pb", "\x0a\x07\x0a\x03CPU\x10\x02\xe8\x04\x01", "ConfigProto has no field 77"},
		{"f.pb", string(optimizer), "AttrValue has no field 99 in graph_options.rewrite_options.custom_optimizers.parameter_map"},
		{"a.pbtxt", "allow_soft_placement: true\n  placement: 3\n", "(line 2:3): unknown field: placement"},
		{"b.pbtxt", "graph_options {\n  rewrite_options { remapping: LOUD }\n}\n", "(line 2:32)"},
		{"c.pbtxt", "inter_op_parallelism_threads: \"3\"", "(line 1:31)"},
	} {
		_, err := read(c.name, []byte(c.data))
		if tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.name) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if _, err := frontend.ReadSessionConfig(filepath.Join(dir, "none.pb")); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("no file: %v", err)
	}
}

// TestStripDebug checks that StripDebug removes nodes that serve only for debugging, also those in
// functions. The nodes on which they depend by control edges must still run, and compiling must not
// change the model.
func TestStripDebug(t *testing.T) {
	path := write(t, def(t, xPlus1+`
		yes Const dtype=bool value=bool:false
		stop Assert yes one T=list:f32 summarize=3
		nan Const dtype=f32 value=f32:nan
		n CheckNumerics nan T=f32 message="bad"
		y AddV2 a one ^stop T=f32
		f fn n
		{ signature { name: "fn" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } } node_def { name: "o" op: "CheckNumerics" input: "x" attr { key: "T" value { type: DT_FLOAT } } attr { key: "message" value { s: "in fn" } } } ret { key: "y" value: "o:output:0" } }
	`))
	m, err := frontend.Load([]string{path}, frontend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{Feeds: []string{"x"}, Fetches: []string{"y"}}, {Fetches: []string{"n"}}, {Fetches: []string{"f"}}} {
		for _, strip := range []bool{true, false} {
			o.StripDebug = strip
			p, err := CompileModel(m, o)
			if err != nil {
				t.Fatal(err)
			}
			feeds := map[string]*tensor.Tensor{}
			if len(o.Feeds) > 0 {
				feeds["x:0"] = f32(tensor.Shape{2}, 1, 2)
			}
			if _, err = run(t, p, feeds); (err == nil) != strip {
				t.Errorf("%v, stripped: %t: %v", o.Fetches, strip, err)
			}
		}
	}
}

// TestMaxFolded checks that constant folding does not replace a node by a constant larger than
// MaxFolded.
func TestMaxFolded(t *testing.T) {
	path := write(t, def(t, bThenY))
	for bound, want := range map[int]bool{0: true, 4: false, 8: true} {
		p, err := Compile([]string{path}, Options{Fetches: []string{"z2"}, MaxFolded: bound, Check: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Signatures[0].Graph.Fetches[0].Out.Node.Op == "Const"; got != want {
			t.Errorf("bound %d: folded %t, want %t", bound, got, want)
		}
	}
}

// FuzzSession: for any configuration, each field is known, and is applied, reported or rejected.
func FuzzSession(f *testing.F) {
	for _, text := range []string{
		"graph_options { rewrite_options { remapping: OFF optimizers: \"layout\" custom_optimizers { name: \"x\" } } }",
		"device_count { key: \"CPU\" value: 2 } session_inter_op_thread_pool { num_threads: 3 } experimental { coordination_config { service_type: \"s\" } }",
		"gpu_options { experimental { virtual_devices { memory_limit_mb: 1 } } } operation_timeout_in_ms: 7",
	} {
		m := &pb.ConfigProto{}
		if err := prototext.Unmarshal([]byte(text), m); err != nil {
			f.Fatal(err)
		}
		raw, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m := &pb.ConfigProto{}
		if proto.Unmarshal(raw, m) != nil {
			return
		}
		if err := new(Options).Session(m, func(string) {}); tensor.CodeOf(err) == tensor.Internal || tensor.CodeOf(err) == tensor.Unknown {
			t.Errorf("%v: %v", m, err)
		}
	})
}

// TestEverySetting sets each field of a ConfigProto separately: none may cause an Internal error,
// which is the error for an unknown field.
func TestEverySetting(t *testing.T) {
	var visit func(root, m protoreflect.Message, path string)
	visit = func(root, m protoreflect.Message, path string) {
		for i := range m.Descriptor().Fields().Len() {
			f := m.Descriptor().Fields().Get(i)
			name := path + string(f.Name())
			switch {
			case f.IsMap():
				v := f.MapValue()
				if v.Message() != nil || f.MapKey().Kind() != protoreflect.StringKind {
					continue
				}
				m.Mutable(f).Map().Set(protoreflect.ValueOfString("CPU").MapKey(), protoreflect.ValueOfInt32(1))
			case f.IsList() && f.Message() != nil:
				m.Mutable(f).List().AppendMutable()
			case f.IsList():
				m.Mutable(f).List().Append(some(f))
			case f.Message() != nil:
				visit(root, m.Mutable(f).Message(), name+".")
			default:
				m.Set(f, some(f))
			}
			err := new(Options).Session(root.Interface().(*pb.ConfigProto), func(string) {})
			if tensor.CodeOf(err) == tensor.Internal {
				t.Errorf("%s: %v", name, err)
			}
			m.Clear(f)
		}
	}
	root := (&pb.ConfigProto{}).ProtoReflect()
	visit(root, root, "")
}

// some returns a value for field f that is not the default value.
func some(f protoreflect.FieldDescriptor) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(1)
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(1)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(1)
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(1)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(2)
	}
	return protoreflect.ValueOfString("x")
}
