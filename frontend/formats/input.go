package formats

import (
	"bytes"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds on the amount of data that detection reads.
const (
	headBytes = 64 << 10 // of a file
	maxNames  = 4096     // names in a folder or an archive
	maxFields = 64       // fields of one protobuf message
)

// Source opens the files beside and below a model.
type Source interface {
	Stat(path string) (fs.FileInfo, error)
	// Open opens a regular file.
	Open(path string) (fs.File, error)
	// Names returns the names of at most `most` entries of a folder.
	Names(dir string, most int) []string
}

// Input is a file or folder whose format is unknown. Close it after use.
type Input struct {
	Path     string // as the user gave it
	Function string // a function of a SavedModel; used for the command of NoSignatures

	base    string
	dir     bool
	missing bool
	names   []string // sorted names of a folder's entries
	size    int64
	head    []byte
	at      io.ReaderAt // the file; nil if only the bytes in the field head are known
	file    io.Closer
	source  Source

	archived []string        // names in a zip or tar archive
	opened   bool            // whether archived is known
	keys     map[string]bool // keys of a JSON object; see jsonKeys
}

// Open returns the Input for a path. It accepts a path that does not exist, since the path may be
// the prefix of a checkpoint.
func Open(source Source, path string) (*Input, error) {
	in := &Input{Path: path, base: filepath.Base(path), source: source}
	st, err := source.Stat(path)
	switch {
	case err != nil:
		in.missing = true
		return in, nil
	case st.IsDir():
		in.dir = true
		in.names = source.Names(path, maxNames)
		slices.Sort(in.names)
		return in, nil
	}
	f, err := source.Open(path)
	if err != nil {
		return nil, err
	}
	in.file, in.size = f, st.Size()
	in.head, err = io.ReadAll(io.LimitReader(f, headBytes))
	if err != nil {
		in.Close()
		return nil, err
	}
	in.at, _ = f.(io.ReaderAt)
	return in, nil
}

// Bytes returns the Input for a file whose content, raw, was already read.
func Bytes(path string, raw []byte) *Input {
	return &Input{Path: path, base: filepath.Base(path), size: int64(len(raw)), head: raw[:min(len(raw), headBytes)], at: bytes.NewReader(raw)}
}

// Close closes the file.
func (in *Input) Close() {
	if in.file != nil {
		in.file.Close()
	}
}

// isFile reports whether the input is a file.
func (in *Input) isFile() bool { return !in.dir && !in.missing }

// read returns at most n bytes at offset off. It returns fewer bytes if the file, or the known part
// of it, ends earlier.
func (in *Input) read(off, n int64) []byte {
	switch {
	case off < 0 || off >= in.size || n <= 0:
		return nil
	case off+n <= int64(len(in.head)):
		return in.head[off : off+n]
	case in.at == nil:
		return in.head[min(off, int64(len(in.head))):]
	}
	b := make([]byte, min(n, in.size-off))
	k, _ := in.at.ReadAt(b, off)
	return b[:max(k, 0)]
}

// has reports whether a folder has an entry of that name. It does not search in.names, because a
// folder may have more entries than in.names holds.
func (in *Input) has(name string) bool { return in.dir && in.exists(filepath.Join(in.Path, name)) }

// exists reports whether there is a file or folder of that path.
func (in *Input) exists(path string) bool {
	if in.source == nil {
		return false
	}
	_, err := in.source.Stat(path)
	return err == nil
}

// starts reports whether the file begins with the bytes of magic.
func (in *Input) starts(magic string) bool {
	return in.isFile() && strings.HasPrefix(string(in.head[:min(len(in.head), len(magic))]), magic) && magic != ""
}

// suffix reports whether the name ends with suffix.
func (in *Input) suffix(suffix string) bool { return strings.HasSuffix(in.base, suffix) }

// stem returns the path without the extension.
func (in *Input) stem() string {
	p := strings.TrimRight(in.Path, `/\`)
	for _, ext := range []string{".tar.gz", ".weights.h5"} {
		if s, ok := strings.CutSuffix(p, ext); ok && s != "" && !strings.HasSuffix(s, "/") {
			return s
		}
	}
	if s := strings.TrimSuffix(p, filepath.Ext(p)); s != "" && !strings.HasSuffix(s, "/") && !strings.HasSuffix(s, ".") {
		return s
	}
	return p
}

// target returns the name of the folder into which a conversion of the input writes a SavedModel.
func (in *Input) target() string { return in.stem() + "_saved_model" }
