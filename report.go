package graphc

// Report is what Inspect tells of a model. Its form in JSON is that of graphc inspect --json.
type Report struct {
	Path      string `json:"path"`
	Kind      string `json:"kind"` // see Model.Kind
	SHA256    string `json:"sha256"`
	Producer  int    `json:"producer"` // the version of TensorFlow's graphs that wrote it
	Nodes     int    `json:"nodes"`
	Functions int    `json:"functions"`
	// Signatures are the compiled ones, or all that the model declares where nothing compiles.
	Signatures []SignatureReport `json:"signatures"`
	// LeftOut are signatures that are compiled only if they are named: others compute the same.
	LeftOut []LeftOutReport `json:"left_out,omitempty"`
	// Ops counts the nodes of each op, in the graph and in its functions, the most frequent first.
	Ops []OpCount `json:"ops"`
	// Unsupported are the ops that do not compile.
	Unsupported []UnsupportedOp `json:"unsupported"`
	// Resources are what the compiled signatures share and keep from run to run, Init the nodes that run before the
	// first call, Assets files that become part of the program, Unused the tensors of the checkpoint that no compiled
	// signature uses.
	Resources []ResourceReport `json:"resources,omitempty"`
	Init      []string         `json:"init,omitempty"`
	Assets    []string         `json:"assets,omitempty"`
	Unused    []string         `json:"unused_in_checkpoint,omitempty"`
	// Parameters counts the elements of floating-point constants; nil where the model does not compile.
	Parameters *int `json:"parameters,omitempty"`
	// Errors are the lines of Err, unless ops are unsupported.
	Errors []string `json:"errors,omitempty"`
	// Err is why the model does not compile, nil where it does.
	Err *Error `json:"-"`
}

// SignatureReport is what a signature takes, gives and does.
type SignatureReport struct {
	Name    string       `json:"name"`
	Method  string       `json:"method,omitempty"`  // TensorFlow's method name
	Same    string       `json:"same_as,omitempty"` // the signature that computes the same, whose code this one has
	Feeds   []PortReport `json:"feeds"`
	Fetches []PortReport `json:"fetches"`
	Targets []string     `json:"targets,omitempty"`
	// Scope is the scope that nearly all nodes are in. Names of nodes leave it out in emitted code and in errors of runs.
	Scope string `json:"scope,omitempty"`
	// Reads and Changes name the resources that a run reads only, and those that it may change.
	Reads   []string `json:"reads,omitempty"`
	Changes []string `json:"changes,omitempty"`
	// FLOPs is how many floating-point operations the matrix products and convolutions of a run have, with unknown sizes
	// 1; FLOPsOf is the expression where there are such sizes. nil where several ranks are possible.
	FLOPs   *int   `json:"flops,omitempty"`
	FLOPsOf string `json:"flops_expression,omitempty"`
	// Kept is how many nodes are left after all passes.
	Kept int `json:"nodes_after_passes,omitempty"`
}

// LeftOutReport is a signature of the model that is not compiled unless it is named, and the one that computes the same.
type LeftOutReport struct {
	Name string `json:"name"`
	Same string `json:"same_as"`
}

// PortReport is a tensor that is fed or fetched.
type PortReport struct {
	Key    string `json:"key"`
	Tensor string `json:"tensor"`
	DType  string `json:"dtype"` // f32
	Shape  string `json:"shape"` // [1,224,xDim2,3], where names are sizes that a run tells, or […] for an unknown rank
}

// OpCount is how many nodes have an op.
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

// ResourceReport is a variable, table, queue or other resource that an instance keeps from run to run.
type ResourceReport struct {
	Kind      string `json:"kind"`
	Container string `json:"container,omitempty"`
	Name      string `json:"name"`
	// DType, Shape and the name in checkpoints are those of variables.
	DType      string `json:"dtype,omitempty"`
	Shape      string `json:"shape,omitempty"`
	Checkpoint string `json:"checkpoint,omitempty"`
}
