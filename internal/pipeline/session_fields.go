package pipeline

import "google.golang.org/protobuf/reflect/protoreflect"

// Setting describes the effect of one field of a ConfigProto on a compiled program.
type Setting struct {
	// Field is the path of the field, such as graph_options.place_pruned_graph. If the field is a
	// message, the Setting applies to all fields of the message.
	Field   string
	Effect  string // effect of the field; "" if none
	Ignored string // reason why the field, or some of its values, has no effect; "" if all values have one

	set func(s *session, field string, v protoreflect.Value)
}

// Settings returns the settings for all fields of a ConfigProto. For a field that is a message,
// there is one setting, or one for each field of the message.
func Settings() []Setting { return settings }

const (
	noGPU      = "devices of that kind are not supported"
	oneProcess = "the program is one process"
	planned    = "memory is planned when compiling"
	whole      = "the whole graph is always compiled"
	noCheap    = "computations use the graph's types; `--weights` stores weights in fewer bits"
	noTF       = "selects parts of TensorFlow that a compiled program does not have"
)

var settings = settingsTable()

func settingsTable() []Setting {
	flag := func(field, effect string, set func(s *session)) Setting {
		return Setting{Field: field, Effect: effect, set: func(s *session, _ string, _ protoreflect.Value) { set(s) }}
	}
	off := func(field, ignored string) Setting { return Setting{Field: field, Ignored: ignored} }
	group := func(name string) Setting {
		return Setting{Field: rewrite + name, Effect: "`OFF` excludes " + the(name), Ignored: "`AGGRESSIVE` and `EXPERIMENTAL` values: passes are on or off", set: toggle}
	}
	never := func(name, why string) Setting {
		return Setting{Field: rewrite + name, Effect: "`OFF` is the only mode", Ignored: why, set: unlessOn(why)}
	}
	list := []Setting{
		{Field: "device_count", Effect: "`CPU: n` means `--devices cpu:0,…`; 0 or less is NotFound", Ignored: "GPUs: use `--devices`; other types: " + noGPU, set: deviceCount},
		{Field: "intra_op_parallelism_threads", Effect: "threads of a call, unless its caller sets them; negative is InvalidArgument", set: intraThreads},
		{Field: "inter_op_parallelism_threads", Effect: "nodes and partitions that run in parallel; negative: all run in sequence in the caller's thread", set: interThreads},
		flag("use_per_session_threads", "each instance has its own threads instead of the process's", func(s *session) { s.o.Defaults.OwnThreads = true }),
		{Field: "session_inter_op_thread_pool", Effect: "thread pools that a call may choose, shared by `global_name`; the default is the first. One name with two sizes is InvalidArgument", set: pools},
		off("placement_period", "nodes are placed once, when compiling"),
		off("device_filters", "they choose among the devices of other processes"),
		off("gpu_options", "a program allocates the memory that it needs; `CUDA_VISIBLE_DEVICES` selects GPUs"),
		off("pluggable_device_options", noGPU),
		flag("allow_soft_placement", "`--soft-placement`", func(s *session) { s.o.SoftPlacement = true }),
		flag("log_device_placement", "`--log-placement`: lines on standard error when compiling", func(s *session) { s.o.LogPlacement = s.log }),
		{Field: "operation_timeout_in_ms", Effect: "calls end with DeadlineExceeded after that time, unless their callers set another; 0 or less is no limit", set: timeout},
		off("rpc_options", oneProcess),
		off("cluster_def", oneProcess),
		{Field: "isolate_session_state", Effect: "always on: each instance has its own state", set: quiet},
		off("share_cluster_devices_in_session", oneProcess),

		off("graph_options.enable_recv_scheduling", "the order of receives is fixed when compiling"),
		{Field: "graph_options.optimizer_options.do_common_subexpression_elimination", Effect: "with `opt_level: L0`: keeps the passes " + listOf(optimisers["common_subgraph_elimination"]), set: quiet},
		{Field: "graph_options.optimizer_options.do_constant_folding", Effect: "with `opt_level: L0`: keeps the passes " + listOf(optimisers["constant_folding"]), set: quiet},
		{Field: "graph_options.optimizer_options.max_folded_constant_in_bytes", Effect: "size of the largest constant that folding stores, 10 MiB when not set", set: func(s *session, name string, v protoreflect.Value) {
			if s.o.MaxFolded = int(v.Int()); s.o.MaxFolded < 0 {
				s.o.MaxFolded = 0
			}
		}},
		{Field: "graph_options.optimizer_options.do_function_inlining", Effect: "always on: functions are inlined", set: quiet},
		{Field: "graph_options.optimizer_options.opt_level", Effect: "`L0` excludes the passes " + listOf(append(optimisers["constant_folding"], optimisers["common_subgraph_elimination"]...)) + " unless they are requested by name; `L1` includes them", set: quiet},
		off("graph_options.optimizer_options.global_jit_level", whole),
		off("graph_options.optimizer_options.cpu_global_jit", whole),
		off("graph_options.build_cost_model", "give a recorded trace to the compiler with `--profile`"),
		off("graph_options.build_cost_model_after", "give a recorded trace to the compiler with `--profile`"),
		{Field: "graph_options.infer_shapes", Effect: "always on: shapes are inferred", set: quiet},
		flag("graph_options.place_pruned_graph", "`--place-pruned`; without it the whole graph is placed, and a feed of the output of an If, Case or While that is lowered to Switch and Merge reaches fetches only, not the nodes that read it", func(s *session) { s.o.NoPlacePruned = false }),
		off("graph_options.enable_bfloat16_sendrecv", "tensors are passed by reference, not converted"),
		off("graph_options.timeline_step", "a call is traced when its caller requests it"),

		off(rewrite+"cpu_layout_conversion", "layouts are chosen when memory is planned"),
		group("layout_optimizer"), group("constant_folding"), group("shape_optimization"), group("remapping"),
		group("common_subgraph_elimination"), group("arithmetic_optimization"), group("dependency_optimization"), group("loop_optimization"),
		never("function_optimization", "functions are always inlined"),
		{Field: rewrite + "debug_stripper", Effect: "any value but `OFF` removes Assert, CheckNumerics, Print and PrintV2", set: func(s *session, _ string, v protoreflect.Value) { s.o.StripDebug = v.Enum() != toggleOff }},
		off(rewrite+"disable_model_pruning", "nodes that no fetch needs never run"),
		never("scoped_allocator_optimization", planned),
		never("pin_to_host_optimization", noGPU),
		never("implementation_selector", "functions are always inlined, and kernels are chosen when lowering"),
		never("auto_mixed_precision", noCheap),
		never("auto_mixed_precision_mkl", noCheap),
		never("auto_mixed_precision_onednn_bfloat16", noCheap),
		never("auto_mixed_precision_cpu", noCheap),
		{Field: rewrite + "disable_meta_optimizer", Effect: "excludes the passes of all toggles, except those that `opt_level` includes", set: quiet},
		off(rewrite+"disable_tfg_optimizer", noTF),
		never("use_plugin_optimizers", "graphc has no plugins"),
		never("experimental_conditional_code_motion", "code that always runs is moved out of branches in any case"),
		off(rewrite+"meta_optimizer_iterations", "passes repeat until nothing changes, at most ten times"),
		off(rewrite+"min_graph_nodes", "small graphs are optimized, too"),
		off(rewrite+"experimental_disable_compressed_tensor_optimization", "constants are stored as their kernels read them"),
		off(rewrite+"experimental_disable_folding_quantization_emulation", "fake quantization of constants is folded like any other op"),
		off(rewrite+"memory_optimization", planned),
		off(rewrite+"memory_optimizer_target_node_name_scope", planned),
		off(rewrite+"meta_optimizer_timeout_ms", "passes run to their end"),
		off(rewrite+"auto_parallel", noGPU),
		{Field: rewrite + "fail_on_optimizer_errors", Effect: "always on: the compiler fails if a pass fails", set: quiet},
		off(rewrite+"scoped_allocator_opts", planned),
		{Field: rewrite + "optimizers", Effect: "excludes the passes of toggles that are not listed", Ignored: "other names, such as `memory`", set: quiet},
		off(rewrite+"custom_optimizers", "graphc has no custom optimizers"),
		off(rewrite+"inter_optimizer_verifier_config", "the compiler's tests check graphs between passes"),
		off(rewrite+"post_optimization_verifier_config", "the compiler's tests check graphs between passes"),
	}
	for _, x := range [][2]string{
		{"collective_group_leader", oneProcess}, {"recv_buf_max_chunk", oneProcess}, {"use_numa_affinity", "the operating system places memory and threads"},
		{"collective_deterministic_sequential_execution", oneProcess}, {"collective_nccl", noGPU},
		{"share_session_state_in_clusterspec_propagation", oneProcess}, {"disable_thread_spinning", "waiters spin for a moment only, then sleep"},
		{"share_cluster_devices_in_session", oneProcess}, {"enable_mlir_bridge", noTF}, {"mlir_bridge_rollout", noTF}, {"enable_mlir_graph_optimization", noTF},
		{"disable_output_partition_graphs", "`graphc dump --partitions` prints partition graphs; programs do not contain them"},
		{"xla_fusion_autotuner_thresh", noTF}, {"use_tfrt", noTF}, {"enable_multi_host", oneProcess}, {"tfrt_use_ifrt", noTF}, {"backend_server_port", oneProcess},
		{"target_tpu", noGPU}, {"target_gpu", noGPU}, {"stream_merge_threshold", noTF},
		{"disable_functional_ops_lowering", "If and While always become branches and loops"}, {"xla_prefer_single_graph_cluster", noTF},
		{"coordination_config", oneProcess}, {"disable_eager_executor_streaming_enqueue", noTF},
		{"finalize_function_library_runtime", "a program has no function library"}, {"finalize_resource_manager", "a program's resources are all known when it is compiled"},
		{"tf2xla_dump_dir", "`graphc dump` prints graphs"}, {"online_cost_analysis", "give a recorded trace to the compiler with `--profile`"},
	} {
		list = append(list, off("experimental."+x[0], x[1]))
	}
	return append(list,
		Setting{Field: "experimental.executor_type", Effect: "`SINGLE_THREADED_EXECUTOR` runs nodes in sequence; other names than `DEFAULT` are NotFound", set: executor},
		Setting{Field: "experimental.session_metadata", Ignored: "no kernel uses the session's name; a negative version is InvalidArgument", set: metadata},
		Setting{Field: "experimental.optimize_for_static_graph", Effect: "always on: a program's graph never grows", set: quiet},
		off("experimental.disable_optimize_for_static_graph", "a program's graph never grows"))
}

const rewrite = "graph_options.rewrite_options."
