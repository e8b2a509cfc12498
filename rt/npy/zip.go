package npy

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/tensor"
)

// ReadZip reads an .npz file: arrays by name, without the suffix .npy.
func ReadZip(path string) (map[string]*tensor.Tensor, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, tensor.Errorf(code(err), "%v", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return ReadZipFrom(f, st.Size())
}

// ReadZipFrom is ReadZip of size bytes of r.
func ReadZipFrom(r io.ReaderAt, size int64) (map[string]*tensor.Tensor, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, tensor.Errorf(tensor.DataLoss, "not an .npz file: %v", err)
	}
	out := make(map[string]*tensor.Tensor, min(len(z.File), 1024))
	for _, e := range z.File {
		name := strings.TrimSuffix(e.Name, ".npy")
		if out[name] != nil {
			return nil, tensor.Errorf(tensor.InvalidArgument, "the .npz file holds %q twice", name)
		}
		t, err := readEntry(e)
		if err != nil {
			return nil, tensor.Errorf(tensor.CodeOf(err), "%q in the .npz file: %v", name, text(err))
		}
		out[name] = t
	}
	return out, nil
}

func readEntry(e *zip.File) (*tensor.Tensor, error) {
	rc, err := e.Open()
	if err != nil {
		return nil, tensor.Errorf(tensor.DataLoss, "%v", err)
	}
	defer rc.Close()
	br := bufio.NewReaderSize(rc, 64<<10)
	t, err := Read(br)
	if err != nil {
		if tensor.CodeOf(err) == tensor.Unknown { // a checksum, a broken stream
			err = tensor.Errorf(tensor.DataLoss, "%v", err)
		}
		return nil, err
	}
	// The checksum is verified when the end is reached.
	if n, err := io.Copy(io.Discard, io.LimitReader(br, 1)); err != nil || n != 0 {
		return nil, tensor.Errorf(tensor.DataLoss, "data after the array, or a wrong checksum")
	}
	return t, nil
}

// text is an error's message without its code.
func text(err error) string {
	var e *tensor.Error
	if errors.As(err, &e) {
		return e.Msg
	}
	return err.Error()
}

func code(err error) tensor.Code {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return tensor.NotFound
	case errors.Is(err, os.ErrPermission):
		return tensor.PermissionDenied
	}
	return tensor.Unknown
}

// WriteZip writes an .npz file as numpy.savez does, entries sorted by name and
// stored as they are. Equal tensors give equal files.
func WriteZip(path string, ts map[string]*tensor.Tensor) error { return writeZip(path, ts, false) }

// WriteZipCompressed is WriteZip with deflated entries: numpy.savez_compressed.
func WriteZipCompressed(path string, ts map[string]*tensor.Tensor) error {
	return writeZip(path, ts, true)
}

func writeZip(path string, ts map[string]*tensor.Tensor, compress bool) error {
	err := files.WriteWhole(path, func(w io.Writer) error { return WriteZipTo(w, ts, compress) })
	if err != nil && tensor.CodeOf(err) == tensor.Unknown {
		return tensor.Errorf(code(err), "%v", err)
	}
	return err
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
