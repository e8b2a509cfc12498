package lower

import "github.com/graphc/graphc/rt/tensor"

// Files lets lowerings read files of the model that the graph uses, such as vocabularies of tables,
// at compile time, because programs do not open these files. The function read must return NotFound
// for any other name.
func Files(read func(name string) ([]byte, error)) Option {
	return func(l *lowerer) { l.files = read }
}

// File returns the contents of a file, which is read at compile time.
func (b *Builder) File(name string) ([]byte, error) {
	if b.l.files == nil {
		return nil, tensor.Errorf(tensor.NotFound, "%q is not a file of the model, and programs open no other files", name)
	}
	return b.l.files(name)
}
