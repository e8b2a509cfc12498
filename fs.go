package graphc

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"time"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/rt/tensor"
)

// LoadFS loads a model whose files, including those of LoadOptions, are in the file system fsys,
// such as an embed.FS. Apart from that, it does the same as Load. Names have slashes and are not
// rooted. No file outside of fsys is read, but fsys itself may follow symbolic links, as os.DirFS
// does and (*os.Root).FS does not. The model also reads from fsys while it is compiled, possibly in
// several goroutines.
func LoadFS(ctx context.Context, fsys fs.FS, name string, o *LoadOptions) (*Model, error) {
	if fsys == nil {
		return nil, diagnose(tensor.Errorf(tensor.InvalidArgument, "no file system is given"), name)
	}
	return load(ctx, name, o, frontend.Options{FS: fsys})
}

// LoadBytes loads a model from the contents of its only file. The model is a GraphDef, a
// MetaGraphDef without a checkpoint, a SavedModel without variables or a tfjs graph model without
// weights. Apart from that, LoadBytes does the same as Load. The name determines the kind of file;
// examples are graph.pb, graph.pbtxt, x.meta, saved_model.pb, model.json. data must not change
// while the model is in use.
func LoadBytes(ctx context.Context, name string, data []byte, o *LoadOptions) (*Model, error) {
	if path.Base(name) != name || !fs.ValidPath(name) || name == "." {
		return nil, diagnose(tensor.Errorf(tensor.InvalidArgument, "%q is not a file name, such as graph.pb", name), "")
	}
	return load(ctx, name, o, frontend.Options{FS: oneFile{name, data}})
}

// oneFile is a file system with one file.
type oneFile struct {
	name string
	data []byte
}

// Open implements fs.FS.
func (f oneFile) Open(name string) (fs.File, error) {
	if name != f.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &openFile{f, bytes.NewReader(f.data)}, nil
}

// openFile is the file after it was opened. It also serves as the file's fs.FileInfo.
type openFile struct {
	oneFile
	*bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *openFile) Close() error               { return nil }
func (f *openFile) Name() string               { return f.name }
func (f *openFile) Size() int64                { return int64(len(f.data)) }
func (f *openFile) Mode() fs.FileMode          { return 0o444 }
func (f *openFile) ModTime() time.Time         { return time.Time{} }
func (f *openFile) IsDir() bool                { return false }
func (f *openFile) Sys() any                   { return nil }
