package pipeline

import "google.golang.org/protobuf/reflect/protoreflect"

// Setting is what becomes of a field of a ConfigProto.
type Setting struct {
	Field   string // graph_options.place_pruned_graph; all below it where it is a message
	Effect  string // what it does; "" where it does nothing
	Ignored string // why it, or some value of it, does nothing

	set func(s *session, field string, v protoreflect.Value)
}

// Settings returns all fields of a ConfigProto, those of a message with the message
// or each for itself.
func Settings() []Setting { return settings }

const (
	noGPU      = "no device of that kind is built in"
	oneProcess = "the program is one process"
	planned    = "memory is planned when compiling"
	whole      = "the whole graph is compiled anyway"
	noCheap    = "types are those of the graph; `--weights` stores weights in fewer bits"
	noTF       = "it chooses among parts of TensorFlow that a compiled program does not have"
)

var settings = settingsTable()

func settingsTable() []Setting {
	flag := func(field, effect string, set func(s *session)) Setting {
		return Setting{Field: field, Effect: effect, set: func(s *session, _ string, _ protoreflect.Value) { set(s) }}
	}
	off := func(field, ignored string) Setting { return Setting{Field: field, Ignored: ignored} }
	group := func(name string) Setting {
		return Setting{Field: rewrite + name, Effect: "`OFF` leaves out " + the(name), Ignored: "`AGGRESSIVE` and the `EXPERIMENTAL` ones: passes are on or off", set: toggle}
	}
	never := func(name, why string) Setting {
		return Setting{Field: rewrite + name, Effect: "`OFF` is so anyway", Ignored: why, set: unlessOn(why)}
	}
	list := []Setting{
		{Field: "device_count", Effect: "`CPU: n` is `--devices cpu:0,…`; none or fewer is NotFound", Ignored: "GPUs, which are given with `--devices`; other types: " + noGPU, set: deviceCount},
		{Field: "intra_op_parallelism_threads", Effect: "threads of a call, unless its caller says otherwise; negative is InvalidArgument", set: intraThreads},
		{Field: "inter_op_parallelism_threads", Effect: "nodes and partitions that run side by side; negative: one after the other in the caller's thread", set: interThreads},
		flag("use_per_session_threads", "threads of an instance of its own, not the process's", func(s *session) { s.o.Defaults.OwnThreads = true }),
		{Field: "session_inter_op_thread_pool", Effect: "pools that a call may choose, shared by `global_name`; the first is taken unless the caller says otherwise. One name with two sizes is InvalidArgument", set: pools},
		off("placement_period", "nodes are placed once, when compiling"),
		off("device_filters", "they choose among the devices of other processes"),
		off("gpu_options", "a program takes the memory that it needs; `CUDA_VISIBLE_DEVICES` says which GPUs there are"),
		off("pluggable_device_options", noGPU),
		flag("allow_soft_placement", "`--soft-placement`", func(s *session) { s.o.SoftPlacement = true }),
		flag("log_device_placement", "`--log-placement`: lines on standard error when compiling", func(s *session) { s.o.LogPlacement = s.log }),
		{Field: "operation_timeout_in_ms", Effect: "calls end with DeadlineExceeded, unless their callers set a time; 0 and less is no limit", set: timeout},
		off("rpc_options", oneProcess),
		off("cluster_def", oneProcess),
		{Field: "isolate_session_state", Effect: "is so: each instance has a state of its own", set: quiet},
		off("share_cluster_devices_in_session", oneProcess),

		off("graph_options.enable_recv_scheduling", "the order of receives is fixed when compiling"),
		{Field: "graph_options.optimizer_options.do_common_subexpression_elimination", Effect: "with `opt_level: L0`: keeps the passes " + listOf(optimisers["common_subgraph_elimination"]), set: quiet},
		{Field: "graph_options.optimizer_options.do_constant_folding", Effect: "with `opt_level: L0`: keeps the passes " + listOf(optimisers["constant_folding"]), set: quiet},
		{Field: "graph_options.optimizer_options.max_folded_constant_in_bytes", Effect: "size of the largest constant that folding stores, 10 MiB when not set", set: func(s *session, name string, v protoreflect.Value) {
			if s.o.MaxFolded = int(v.Int()); s.o.MaxFolded < 0 {
				s.o.MaxFolded = 0
			}
		}},
		{Field: "graph_options.optimizer_options.do_function_inlining", Effect: "is so: functions are always inlined", set: quiet},
		{Field: "graph_options.optimizer_options.opt_level", Effect: "`L0` leaves out the passes " + listOf(append(optimisers["constant_folding"], optimisers["common_subgraph_elimination"]...)) + " that are not asked for by name; `L1` has them", set: quiet},
		off("graph_options.optimizer_options.global_jit_level", whole),
		off("graph_options.optimizer_options.cpu_global_jit", whole),
		off("graph_options.build_cost_model", "a recorded trace is given to the compiler with `--profile`"),
		off("graph_options.build_cost_model_after", "a recorded trace is given to the compiler with `--profile`"),
		{Field: "graph_options.infer_shapes", Effect: "is so: shapes are always inferred", set: quiet},
		flag("graph_options.place_pruned_graph", "`--place-pruned`; without it the whole graph is placed, and a feed of the output of an If, Case or While that is lowered to Switch and Merge reaches fetches only, not the nodes that read it", func(s *session) { s.o.NoPlacePruned = false }),
		off("graph_options.enable_bfloat16_sendrecv", "tensors are handed over as they are, not copied"),
		off("graph_options.timeline_step", "a call is traced when its caller asks for it"),

		off(rewrite+"cpu_layout_conversion", "layouts are chosen when memory is planned"),
		group("layout_optimizer"), group("constant_folding"), group("shape_optimization"), group("remapping"),
		group("common_subgraph_elimination"), group("arithmetic_optimization"), group("dependency_optimization"), group("loop_optimization"),
		never("function_optimization", "functions are always inlined"),
		{Field: rewrite + "debug_stripper", Effect: "any but `OFF` takes out Assert, CheckNumerics, Print and PrintV2", set: func(s *session, _ string, v protoreflect.Value) { s.o.StripDebug = v.Enum() != toggleOff }},
		off(rewrite+"disable_model_pruning", "what no fetch needs never runs"),
		never("scoped_allocator_optimization", planned),
		never("pin_to_host_optimization", noGPU),
		never("implementation_selector", "functions are always inlined, and kernels chosen when lowering"),
		never("auto_mixed_precision", noCheap),
		never("auto_mixed_precision_mkl", noCheap),
		never("auto_mixed_precision_onednn_bfloat16", noCheap),
		never("auto_mixed_precision_cpu", noCheap),
		{Field: rewrite + "disable_meta_optimizer", Effect: "leaves out the passes of all toggles, but those that `opt_level` asks for", set: quiet},
		off(rewrite+"disable_tfg_optimizer", noTF),
		never("use_plugin_optimizers", "there are none"),
		never("experimental_conditional_code_motion", "branches are regions; what always runs moves out of them anyway"),
		off(rewrite+"meta_optimizer_iterations", "passes run until nothing changes, ten rounds at most"),
		off(rewrite+"min_graph_nodes", "small graphs are optimised, too"),
		off(rewrite+"experimental_disable_compressed_tensor_optimization", "constants are stored as their kernels read them"),
		off(rewrite+"experimental_disable_folding_quantization_emulation", "fake quantization of constants is folded as any other function of constants"),
		off(rewrite+"memory_optimization", planned),
		off(rewrite+"memory_optimizer_target_node_name_scope", planned),
		off(rewrite+"meta_optimizer_timeout_ms", "passes run to their end"),
		off(rewrite+"auto_parallel", noGPU),
		{Field: rewrite + "fail_on_optimizer_errors", Effect: "is so: an error of a pass is one of the compiler", set: quiet},
		off(rewrite+"scoped_allocator_opts", planned),
		{Field: rewrite + "optimizers", Effect: "leaves out the passes of toggles that are not listed", Ignored: "names of others, such as `memory`", set: quiet},
		off(rewrite+"custom_optimizers", "there are none"),
		off(rewrite+"inter_optimizer_verifier_config", "the compiler's tests check graphs between passes"),
		off(rewrite+"post_optimization_verifier_config", "the compiler's tests check graphs between passes"),
	}
	for _, x := range [][2]string{
		{"collective_group_leader", oneProcess}, {"recv_buf_max_chunk", oneProcess}, {"use_numa_affinity", "memory and threads are the operating system's to place"},
		{"collective_deterministic_sequential_execution", oneProcess}, {"collective_nccl", noGPU},
		{"share_session_state_in_clusterspec_propagation", oneProcess}, {"disable_thread_spinning", "who waits spins for a moment only, then sleeps"},
		{"share_cluster_devices_in_session", oneProcess}, {"enable_mlir_bridge", noTF}, {"mlir_bridge_rollout", noTF}, {"enable_mlir_graph_optimization", noTF},
		{"disable_output_partition_graphs", "partition graphs are printed by `graphc dump --partitions`, programs do not have them"},
		{"xla_fusion_autotuner_thresh", noTF}, {"use_tfrt", noTF}, {"enable_multi_host", oneProcess}, {"tfrt_use_ifrt", noTF}, {"backend_server_port", oneProcess},
		{"target_tpu", noGPU}, {"target_gpu", noGPU}, {"stream_merge_threshold", noTF},
		{"disable_functional_ops_lowering", "If and While always become branches and loops"}, {"xla_prefer_single_graph_cluster", noTF},
		{"coordination_config", oneProcess}, {"disable_eager_executor_streaming_enqueue", noTF},
		{"finalize_function_library_runtime", "a program has no library of functions"}, {"finalize_resource_manager", "a program's resources are all known when it is compiled"},
		{"tf2xla_dump_dir", "`graphc dump` prints graphs"}, {"online_cost_analysis", "a recorded trace is given to the compiler with `--profile`"},
	} {
		list = append(list, off("experimental."+x[0], x[1]))
	}
	return append(list,
		Setting{Field: "experimental.executor_type", Effect: "`SINGLE_THREADED_EXECUTOR` runs nodes one after the other; another but `DEFAULT` is NotFound", set: executor},
		Setting{Field: "experimental.session_metadata", Ignored: "no kernel asks for the session's name; a negative version is InvalidArgument", set: metadata},
		Setting{Field: "experimental.optimize_for_static_graph", Effect: "is so: a program's graph never grows", set: quiet},
		off("experimental.disable_optimize_for_static_graph", "a program's graph never grows"))
}

const rewrite = "graph_options.rewrite_options."
