package rt

// Saver is a model that has variables, or tables that are changed at any time. Every
// emitted Model with such is one.
type Saver interface {
	// Variables returns the names of what is saved in checkpoints, in order: of variables,
	// and of the keys and the values of tables. A variable that is a part of a partitioned
	// one has the whole's name.
	Variables() []string
	// Save writes a checkpoint that TensorFlow can load: PREFIX.index and
	// PREFIX.data-00000-of-00001. Runs may be under way: each variable is written as
	// it is between two updates of it. FailedPrecondition names a variable without a
	// value; after an error there is no file, or the one that was there before.
	Save(prefix string) error
	// Restore gives all variables the values of a checkpoint. Types and shapes are
	// checked before the first variable is changed: InvalidArgument for one that does
	// not fit, NotFound with the names that the checkpoint lacks. Runs that are under way may
	// see some variables restored and others not yet.
	Restore(prefix string) error
}
