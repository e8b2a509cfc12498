package lower

import "github.com/graphc/graphc/rt/tensor"

// Files lets lowerings read those files of the model that the graph uses, such as the vocabularies of
// tables. Lowerings read them at compile time, because the emitted programs do not open them. The
// given function must return NotFound for the name of any other file.
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
