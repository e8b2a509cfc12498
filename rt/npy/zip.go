package npy

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/tensor"
)

// ReadZip reads an .npz file. The arrays are keyed by name without the suffix .npy. The error is
// DataLoss for a damaged file; otherwise as for Read.
func ReadZip(path string) (map[string]*tensor.Tensor, error) { return ReadZipLimit(path, MaxBytes) }

// ReadZipLimit reads an .npz file like ReadZip. The parameter limit bounds the total size in bytes of
// all arrays.
func ReadZipLimit(path string, limit int) (map[string]*tensor.Tensor, error) {
	f, size, err := files.OpenFile(path)
	if err != nil {
		return nil, files.Error(err)
	}
	defer f.Close()
	return readZip(f, size, limit)
}

// ReadZipFrom reads an .npz file like ReadZip, but from the reader r. The parameter size is the
// file's size in bytes.
func ReadZipFrom(r io.ReaderAt, size int64) (map[string]*tensor.Tensor, error) {
	return readZip(r, size, MaxBytes)
}

// maxDirectory bounds the size in bytes of the list of arrays.
const maxDirectory = 8 << 20

// errDirectory is the error for an overlong list of arrays.
var errDirectory = errors.New("the list of arrays is too long")

// directory is a reader of a zip file that bounds how many bytes are read. The bound holds only while
// the list of the file's arrays is read.
type directory struct {
	io.ReaderAt
	left int // bytes that may still be read; -1: no limit
}

func (d *directory) ReadAt(b []byte, off int64) (int, error) {
	if d.left >= 0 {
		if len(b) > d.left {
			return 0, errDirectory
		}
		d.left -= len(b)
	}
	return d.ReaderAt.ReadAt(b, off)
}

func readZip(r io.ReaderAt, size int64, limit int) (map[string]*tensor.Tensor, error) {
	d := &directory{r, maxDirectory}
	z, err := zip.NewReader(d, size)
	switch {
	case errors.Is(err, errDirectory):
		return nil, tensor.Errorf(tensor.ResourceExhausted, "the .npz file's list of arrays takes more than %d bytes", maxDirectory)
	case err != nil:
		return nil, tensor.Errorf(tensor.DataLoss, "not an .npz file: %v", err)
	}
	d.left = -1
	left := newBudget(limit)
	out := make(map[string]*tensor.Tensor, min(len(z.File), 1024))
	for _, e := range z.File {
		name := strings.TrimSuffix(e.Name, ".npy")
		if out[name] != nil {
			return nil, tensor.Errorf(tensor.InvalidArgument, "the .npz file holds %q twice", name)
		}
		t, err := readEntry(e, left)
		if err != nil {
			return nil, tensor.Errorf(tensor.CodeOf(err), "%q in the .npz file: %v", name, text(err))
		}
		out[name] = t
	}
	return out, nil
}

func readEntry(e *zip.File, left *budget) (*tensor.Tensor, error) {
	rc, err := e.Open()
	if err != nil {
		return nil, tensor.Errorf(tensor.DataLoss, "%v", err)
	}
	defer rc.Close()
	br := bufio.NewReaderSize(rc, 64<<10)
	t, err := left.read(br)
	if err != nil {
		if tensor.CodeOf(err) == tensor.Unknown { // a wrong checksum or a broken stream
			err = tensor.Errorf(tensor.DataLoss, "%v", err)
		}
		return nil, err
	}
	// Reading to the end verifies the checksum.
	if n, err := io.Copy(io.Discard, io.LimitReader(br, 1)); err != nil || n != 0 {
		return nil, tensor.Errorf(tensor.DataLoss, "data after the array, or a wrong checksum")
	}
	return t, nil
}

// text returns an error's message without its code.
func text(err error) string {
	var e *tensor.Error
	if errors.As(err, &e) {
		return e.Msg
	}
	return err.Error()
}

// WriteZip writes an .npz file like numpy.savez, with entries sorted by name and uncompressed.
// Equal tensors are written as equal files.
func WriteZip(path string, ts map[string]*tensor.Tensor) error { return writeZip(path, ts, false) }

// WriteZipCompressed writes an .npz file like WriteZip, but with deflated entries, like
// numpy.savez_compressed.
func WriteZipCompressed(path string, ts map[string]*tensor.Tensor) error {
	return writeZip(path, ts, true)
}

// WriteZipIn writes an .npz file like WriteZip, but only below the directory dir.
func WriteZipIn(dir files.Dir, path string, ts map[string]*tensor.Tensor) error {
	return files.Error(dir.WriteWhole(path, func(w io.Writer) error { return WriteZipTo(w, ts, false) }))
}

func writeZip(path string, ts map[string]*tensor.Tensor, compress bool) error {
	return files.Error(files.WriteWhole(path, func(w io.Writer) error { return WriteZipTo(w, ts, compress) }))
}

// WriteZipTo writes an .npz file to w.
func WriteZipTo(w io.Writer, ts map[string]*tensor.Tensor, compress bool) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.DefaultCompression)
	})
	for _, name := range slices.Sorted(maps.Keys(ts)) {
		h := &zip.FileHeader{Name: name + ".npy", Method: zip.Store}
		if compress {
			h.Method = zip.Deflate
		}
		e, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if err := Write(e, ts[name]); err != nil {
			return tensor.Errorf(tensor.CodeOf(err), "%q: %s", name, text(err))
		}
	}
	return z.Close()
}
