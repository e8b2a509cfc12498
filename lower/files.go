package lower

import "github.com/graphc/graphc/rt/tensor"

// Files gives lowerings what the files hold that the graph reads, such as the
// vocabularies of tables: programs open no files. read is NotFound for a name that
// is not the model's.
func Files(read func(name string) ([]byte, error)) Option {
	return func(l *lowerer) { l.files = read }
}

// File returns what the file of that name holds, which is known when compiling.
func (b *Builder) File(name string) ([]byte, error) {
	if b.l.files == nil {
		return nil, tensor.Errorf(tensor.NotFound, "%q is no file of the model: programs open no files", name)
	}
	return b.l.files(name)
}
