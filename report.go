package graphc

// Report is the result of Inspect. Its JSON form is that of graphc inspect --json.
type Report struct {
	Path      string `json:"path"`
	Kind      string `json:"kind"` // see Model.Kind
	SHA256    string `json:"sha256"`
	Producer  int    `json:"producer"` // GraphDef version of the writer
	Nodes     int    `json:"nodes"`
	Functions int    `json:"functions"`
	// Signatures describes the compiled signatures. If the model does not compile, it describes all
	// signatures that the model declares.
	Signatures []SignatureReport `json:"signatures"`
	// LeftOut describes the signatures that are compiled only if the caller names them, because
	// other signatures compute the same results.
	LeftOut []LeftOutReport `json:"left_out,omitempty"`
	// Ops holds the number of nodes of each op, counted in the graph and in its functions. The most
	// frequent op comes first.
	Ops []OpCount `json:"ops"`
	// Unsupported are the ops that do not compile.
	Unsupported []UnsupportedOp `json:"unsupported"`
	// Resources describes the state that the compiled signatures share and keep between runs. Init
	// lists the nodes that run before the first call. Assets lists the files that become part of
	// the program. Unused lists the tensors of the checkpoint that no compiled signature uses.
	Resources []ResourceReport `json:"resources,omitempty"`
	Init      []string         `json:"init,omitempty"`
	Assets    []string         `json:"assets,omitempty"`
	Unused    []string         `json:"unused_in_checkpoint,omitempty"`
	// Parameters counts the elements of floating-point constants; nil if the model does not
	// compile.
	Parameters *int `json:"parameters,omitempty"`
	// Errors holds the text of Err, a string for each line, without the lines about unsupported
	// ops.
	Errors []string `json:"errors,omitempty"`
	// Err is the error that prevents the model from compiling, or nil.
	Err *Error `json:"-"`
}

// SignatureReport describes a signature's inputs, outputs and state.
type SignatureReport struct {
	Name   string `json:"name"`
	Method string `json:"method,omitempty"` // TensorFlow's method name
	// Same is the name of another signature that computes the same results. Both signatures then
	// share their code.
	Same    string       `json:"same_as,omitempty"`
	Feeds   []PortReport `json:"feeds"`
	Fetches []PortReport `json:"fetches"`
	Targets []string     `json:"targets,omitempty"`
	// Scope is the scope that contains nearly all nodes. The names of nodes in emitted code and in
	// errors of runs omit this scope.
	Scope string `json:"scope,omitempty"`
	// Reads lists the resources that a run only reads, and Changes lists the resources that a run
	// may change.
	Reads   []string `json:"reads,omitempty"`
	Changes []string `json:"changes,omitempty"`
	// FLOPs is the number of floating-point operations in the matrix products and convolutions of a
	// run, computed as if all unknown sizes were 1. If there are unknown sizes, FLOPsOf is the
	// number as an expression in these sizes. FLOPs is nil if several ranks are possible.
	FLOPs   *int   `json:"flops,omitempty"`
	FLOPsOf string `json:"flops_expression,omitempty"`
	// Kept is the number of nodes that remain after all passes.
	Kept int `json:"nodes_after_passes,omitempty"`
}

// LeftOutReport describes a signature that is compiled only if the caller names it. Same is the
// signature that computes the same results.
type LeftOutReport struct {
	Name string `json:"name"`
	Same string `json:"same_as"`
}

// PortReport describes a tensor that is fed or fetched.
type PortReport struct {
	Key    string `json:"key"`
	Tensor string `json:"tensor"`
	DType  string `json:"dtype"` // f32
	// Shape is text such as [1,224,xDim2,3], with names for sizes that are known only at run time.
	// It is […] if the rank is unknown.
	Shape string `json:"shape"`
}

// OpCount is an op and the number of its nodes.
type OpCount struct {
	Op    string `json:"op"`
	Count int    `json:"count"`
}

// UnsupportedOp is an op that does not compile, with its nodes.
type UnsupportedOp struct {
	Op    string   `json:"op"`
	Count int      `json:"count"`
	Nodes []string `json:"nodes"`
}

// ResourceReport is a variable, table, queue or other resource that an instance keeps between runs.
type ResourceReport struct {
	Kind      string `json:"kind"`
	Container string `json:"container,omitempty"`
	Name      string `json:"name"`
	// DType, Shape and Checkpoint are set for variables. Checkpoint is the name in checkpoints.
	DType      string `json:"dtype,omitempty"`
	Shape      string `json:"shape,omitempty"`
	Checkpoint string `json:"checkpoint,omitempty"`
}
