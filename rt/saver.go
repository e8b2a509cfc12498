package rt

// Saver is a model that has variables or mutable tables. Every emitted Model that has them is a
// Saver.
type Saver interface {
	// Variables returns, in order, the names that a checkpoint contains: those of variables and of
	// the keys and values of tables. A part of a partitioned variable is listed under the name of
	// the whole.
	Variables() []string
	// Save writes a checkpoint that TensorFlow can load: PREFIX.index and
	// PREFIX.data-00000-of-00001. Runs may be in progress: each variable is written in the state
	// between two of its updates. The error is FailedPrecondition if a variable is uninitialized;
	// it names the variable. After an error there is no checkpoint with this prefix, or still the
	// previous one.
	Save(prefix string) error
	// Restore sets all variables to the values of a checkpoint. Restore checks types and shapes
	// before it changes the first variable. The error is InvalidArgument for a mismatch, and
	// NotFound, with the names, for variables that the checkpoint lacks. Runs in progress may see
	// some variables restored and others not yet.
	Restore(prefix string) error
}
