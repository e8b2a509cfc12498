package frontend

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/tensor"
)

// disk reads a model's files from fsys, or from the file system if fsys is nil. In both cases, the
// paths that its methods accept have the form of package filepath. The methods convert them to
// names in fsys, which have slashes.
type disk struct{ fsys fs.FS }

// name converts a path to a name for fsys. The error is InvalidArgument for a path that leads out
// of fsys.
func (d disk) name(path string) (string, error) {
	name := filepath.ToSlash(filepath.Clean(path))
	if !fs.ValidPath(name) {
		return "", invalid("%q is not a valid name in an fs.FS: names have slashes, and begin with neither / nor ..", path)
	}
	return name, nil
}

func (d disk) stat(path string) (fs.FileInfo, error) {
	if d.fsys == nil {
		return os.Stat(path)
	}
	name, err := d.name(path)
	if err != nil {
		return nil, err
	}
	return fs.Stat(d.fsys, name)
}

func (d disk) exists(path string) bool {
	_, err := d.stat(path)
	return err == nil
}

// readFile reads a file that the user named, at any location.
func (d disk) readFile(path string) ([]byte, error) {
	if st, err := d.stat(path); err == nil && st.IsDir() {
		return nil, invalid("%s is a folder; a GraphDef is a file", path)
	}
	if d.fsys != nil {
		return d.readFS(path, maxFile)
	}
	raw, err := files.ReadFile(path, maxFile)
	return raw, files.Error(err)
}

// readIn reads a file that is in a model's folder and was not named by the user. The file must be
// below the folder, and no symbolic link may lead out of it. See docs/limits.md. If the disk has an
// fs.FS, the fs.FS decides which links it follows.
func (d disk) readIn(dir, path string) ([]byte, error) { return d.readPart(dir, path, maxFile) }

func (d disk) readPart(dir, path string, limit int64) ([]byte, error) {
	if d.fsys == nil {
		raw, err := files.Dir(dir).ReadFile(path, limit)
		return raw, files.Error(err)
	}
	if rel, err := filepath.Rel(dir, path); err != nil || !filepath.IsLocal(rel) {
		return nil, tensor.Errorf(tensor.PermissionDenied, "%q does not lie below %q", path, dir)
	}
	return d.readFS(path, limit)
}

// readFS reads a regular file in the fs.FS, at most limit bytes.
func (d disk) readFS(path string, limit int64) ([]byte, error) {
	f, err := d.openFS(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(raw)) > limit {
		err = tensor.Errorf(tensor.ResourceExhausted, "%q has more than %d bytes, the most that can be read", path, limit)
	}
	if err != nil {
		return nil, files.Error(err)
	}
	return raw, nil
}

// openFS opens a regular file in the fs.FS.
func (d disk) openFS(path string) (fs.File, error) {
	name, err := d.name(path)
	if err != nil {
		return nil, err
	}
	f, err := d.fsys.Open(name)
	if err != nil {
		return nil, files.Error(err)
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = tensor.Errorf(tensor.FailedPrecondition, "%q is not a regular file", path)
	}
	if err != nil {
		return nil, errors.Join(files.Error(err), f.Close())
	}
	return f, nil
}

// named reads a file that the user named. It has the same parameters as readIn, so that it can be
// passed instead of readIn, but it ignores the folder.
func (d disk) named(_, path string) ([]byte, error) { return d.readFile(path) }

// openBundle opens the checkpoint with the given prefix. The files of the checkpoint must be below
// the folder dir. If dir is "", they may be anywhere; this is for a checkpoint that the user named.
func (d disk) openBundle(dir, prefix string) (*bundle.Reader, error) {
	if d.fsys == nil {
		return bundle.OpenIn(bundleFiles(dir), prefix)
	}
	name, err := d.name(prefix)
	if err != nil {
		return nil, err
	}
	return bundle.OpenFS(d.fsys, name)
}

// bundleFiles returns a file system that is limited to dir, or the whole file system if dir is "".
func bundleFiles(dir string) bundle.Files {
	if dir == "" {
		return bundle.System{}
	}
	return files.Dir(dir)
}

// copyFile writes the content of the file at path to w. The file must be below the folder dir. If
// dir is "", it may be anywhere.
func (d disk) copyFile(w io.Writer, dir, path string) error {
	var f io.ReadCloser
	var err error
	if d.fsys != nil {
		f, err = d.openFS(path)
	} else {
		f, err = bundleFiles(dir).OpenFile(path, os.O_RDONLY|files.DontWait, 0)
	}
	if err != nil {
		return files.Error(err)
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return files.Error(err)
}

// hasCheckpoint reports whether a checkpoint with the given prefix exists below dir, in either
// format.
func (d disk) hasCheckpoint(dir, prefix string) bool {
	if d.exists(prefix + ".index") {
		return true
	}
	_, err := d.openBundle(dir, prefix)
	return tensor.CodeOf(err) != tensor.NotFound && tensor.CodeOf(err) != tensor.FailedPrecondition
}

// isSavedModel reports whether a folder holds a SavedModel.
func (d disk) isSavedModel(dir string) bool {
	return d.exists(filepath.Join(dir, "saved_model.pb")) || d.exists(filepath.Join(dir, "saved_model.pbtxt"))
}

// latest returns the prefix of the checkpoint that TensorFlow last recorded in a folder, or "".
func (d disk) latest(dir string) string {
	raw, err := d.readPart(dir, filepath.Join(dir, "checkpoint"), 1<<20)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(raw)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "model_checkpoint_path:"); ok {
			name = strings.Trim(strings.TrimSpace(name), `"`)
			if !filepath.IsAbs(name) {
				name = filepath.Join(dir, name)
			}
			if d.exists(name + ".index") {
				return name
			}
		}
	}
	return ""
}
