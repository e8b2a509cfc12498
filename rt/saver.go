package rt

// Saver is a model whose variables and mutable tables can be saved in checkpoints. Every emitted Model
// that has variables or mutable tables implements Saver.
type Saver interface {
	// Variables returns the names that a checkpoint uses for the variables, and for the keys and the
	// values of the tables. They are sorted. The parts of a partitioned variable have one name, that
	// of the whole variable.
	Variables() []string
	// Save writes a checkpoint that TensorFlow can load. It consists of the file PREFIX.index and a
	// data file such as PREFIX.data-00000-of-00001, where PREFIX is the parameter prefix. Runs may be
	// in progress: the saved value of a variable never contains a part of an update. If a variable is
	// uninitialized, the error is FailedPrecondition and names the variable. After an error, an
	// earlier checkpoint with this prefix still exists, unless the error says that the new one is
	// written.
	Save(prefix string) error
	// Restore sets all variables and tables to the values in a checkpoint. It checks types and
	// shapes before it changes anything. The error is InvalidArgument for a wrong type or shape. If
	// the checkpoint lacks variables, the error is NotFound and lists their names. A run in progress
	// may see some variables restored and others not yet.
	Restore(prefix string) error
}
