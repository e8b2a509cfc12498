package resource

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"strings"

	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/inflate"
	"github.com/graphc/graphc/rt/tensor"
)

// identityFormat provides one record for each file, without reading the file. The record's value is
// the file name.
type identityFormat struct{ name string }

func (f *identityFormat) open(_ *os.Root, name string) error {
	f.name = name
	return nil
}

func (f *identityFormat) next() (rec Record, none, last bool, err error) {
	return Record{f.name, f.name}, false, true, nil
}

func (f *identityFormat) close() {}

// NewIdentityReader returns a reader whose records are the file names.
func NewIdentityReader(p ReaderParams) tensor.Handle {
	p.serializes = true
	return newReader(p, &identityFormat{})
}

// wholeFormat reads a whole file as one record.
type wholeFormat struct {
	root *os.Root
	name string
}

func (f *wholeFormat) open(root *os.Root, name string) error {
	f.root, f.name = root, name
	return nil
}

func (f *wholeFormat) next() (rec Record, none, last bool, err error) {
	s, err := files.Read(f.root, f.name, files.MaxBytes)
	return Record{f.name, s}, false, true, err
}

func (f *wholeFormat) close() { f.root = nil }

// NewWholeFileReader returns a reader whose records are whole files.
func NewWholeFileReader(p ReaderParams) tensor.Handle {
	p.serializes = true
	return newReader(p, &wholeFormat{})
}

// stream is the current file of a reader whose records are parts of files.
type stream struct {
	name   string
	file   *os.File // nil if the uncompressed bytes are in memory
	r      *bufio.Reader
	size   int64 // the size of the file, after decompression
	at     int64 // bytes read so far
	unpack func(s string, limit int) (string, error)
}

func (s *stream) open(root *os.Root, name string) error {
	s.close()
	s.name, s.at = name, 0
	if s.unpack != nil {
		text, err := files.Read(root, name, files.MaxBytes)
		if err != nil {
			return err
		}
		if text, err = s.unpack(text, inflate.MaxBytes); err != nil {
			return err
		}
		s.r, s.size = bufio.NewReader(strings.NewReader(text)), int64(len(text))
		return nil
	}
	f, size, err := files.Open(root, name)
	if err != nil {
		return err
	}
	s.file, s.size = f, size
	s.r = bufio.NewReaderSize(io.LimitReader(f, size), 1<<16)
	return nil
}

func (s *stream) close() {
	if s.file != nil {
		s.file.Close()
	}
	s.file, s.r = nil, nil
}

// take reads and returns the next n bytes. If the rest of the file is shorter, take returns this
// rest.
func (s *stream) take(n int64) (string, error) {
	if s.r == nil {
		return "", nil
	}
	n = min(n, s.size-s.at)
	if n > maxRead {
		return "", tensor.Errorf(tensor.ResourceExhausted, "%q: a record of %d bytes, at most %d are read", s.name, n, maxRead)
	}
	var b strings.Builder
	b.Grow(int(n))
	got, err := io.CopyN(&b, s.r, n)
	s.at += got
	if err != nil && err != io.EOF {
		return "", files.Error(err)
	}
	return b.String(), nil
}

// skip skips the next n bytes, or the rest of the file if it has fewer.
func (s *stream) skip(n int64) error {
	if s.r == nil {
		return nil
	}
	got, err := io.CopyN(io.Discard, s.r, min(n, s.size-s.at))
	s.at += got
	if err != nil && err != io.EOF {
		return files.Error(err)
	}
	return nil
}

// lineFormat reads lines of text. It removes newlines and all carriage returns.
type lineFormat struct {
	stream
	skipped int
	line    int64
}

func (f *lineFormat) open(root *os.Root, name string) error {
	if err := f.stream.open(root, name); err != nil {
		return err
	}
	f.line = 0
	for range f.skipped {
		if _, ok, err := f.read(); err != nil || !ok {
			return err
		}
	}
	return nil
}

// read returns the next line. At the end of the file it returns false.
func (f *lineFormat) read() (string, bool, error) {
	if f.r == nil {
		return "", false, nil
	}
	var b strings.Builder
	for {
		part, err := f.r.ReadSlice('\n')
		f.at += int64(len(part))
		if b.Len()+len(part) > maxRead {
			return "", false, tensor.Errorf(tensor.ResourceExhausted, "%q: a line has more than %d bytes, the most that is read", f.name, maxRead)
		}
		ended := len(part) > 0 && part[len(part)-1] == '\n'
		if ended {
			part = part[:len(part)-1]
		}
		for _, c := range part {
			if c != '\r' {
				b.WriteByte(c)
			}
		}
		switch {
		case ended:
			f.line++
			return b.String(), true, nil
		case err == bufio.ErrBufferFull:
		case err == io.EOF && b.Len() == 0:
			return "", false, nil
		case err == io.EOF:
			f.line++
			return b.String(), true, nil
		case err != nil:
			return "", false, files.Error(err)
		}
	}
}

func (f *lineFormat) next() (rec Record, none, last bool, err error) {
	s, ok, err := f.read()
	return Record{numbered(f.name, f.line), s}, !ok, false, err
}

// NewTextLineReader returns a reader of lines of text. The error is InvalidArgument for a negative
// p.Skip.
func NewTextLineReader(p ReaderParams) (tensor.Handle, error) {
	if p.Skip < 0 {
		return tensor.Handle{}, tensor.Errorf(tensor.InvalidArgument, "skip_header_lines must be >= 0 not %d", p.Skip)
	}
	return newReader(p, &lineFormat{skipped: p.Skip}), nil
}

// fixedFormat reads records of a fixed length.
type fixedFormat struct {
	stream
	p     ReaderParams
	last  string // the previous record
	count int64
}

func (f *fixedFormat) open(root *os.Root, name string) error {
	f.last, f.count = "", 0
	if err := f.stream.open(root, name); err != nil {
		return err
	}
	return f.skip(int64(f.p.Header))
}

func (f *fixedFormat) next() (rec Record, none, last bool, err error) {
	size, hop := int64(f.p.Record), int64(f.p.Hop)
	if hop == 0 {
		hop = size
	}
	limit := f.size - int64(f.p.Footer)
	at := int64(f.p.Header) + f.count*hop // the offset in the file at which the record begins
	if f.r == nil || at < 0 || size > limit-at {
		return Record{}, true, false, nil
	}
	shared := "" // the bytes that the record has in common with the previous record, if they overlap
	if back := f.at - at; back > 0 {
		shared = f.last[int64(len(f.last))-back:]
	} else if err := f.skip(-back); err != nil {
		return Record{}, false, false, err
	}
	if int64(len(shared)) > size {
		return Record{}, false, false, tensor.Errorf(tensor.Internal, "records overlap by more than their length")
	}
	s, err := f.take(size - int64(len(shared)))
	if err != nil {
		return Record{}, false, false, err
	}
	if f.last = shared + s; int64(len(f.last)) < size { // the file was truncated after it was opened
		return Record{}, true, false, nil
	}
	f.count++
	return Record{numbered(f.name, f.count-1), f.last}, false, false, nil
}

// NewFixedLengthReader returns a reader of records of p.Record bytes each. The error is
// InvalidArgument for invalid lengths, and ResourceExhausted if p.Record is more than 512 MiB.
func NewFixedLengthReader(p ReaderParams) (tensor.Handle, error) { return newFixedReader(p, nil) }

// NewFixedLengthZlibReader returns a reader like NewFixedLengthReader, but for files that are zlib
// streams.
func NewFixedLengthZlibReader(p ReaderParams) (tensor.Handle, error) {
	return newFixedReader(p, inflate.Zlib)
}

// NewFixedLengthGzipReader returns a reader like NewFixedLengthReader, but for files that are gzip
// streams.
func NewFixedLengthGzipReader(p ReaderParams) (tensor.Handle, error) {
	return newFixedReader(p, inflate.Gzip)
}

func newFixedReader(p ReaderParams, unpack func(string, int) (string, error)) (tensor.Handle, error) {
	for _, c := range []struct {
		what     string
		n, least int
	}{{"header_bytes", p.Header, 0}, {"record_bytes", p.Record, 1}, {"footer_bytes", p.Footer, 0}, {"hop_bytes", p.Hop, 0}} {
		if c.n < c.least {
			return tensor.Handle{}, tensor.Errorf(tensor.InvalidArgument, "%s must be >= %d not %d", c.what, c.least, c.n)
		}
	}
	if p.Record > maxRead {
		return tensor.Handle{}, tensor.Errorf(tensor.ResourceExhausted, "record_bytes is %d, at most %d are read", p.Record, maxRead)
	}
	return newReader(p, &fixedFormat{p: p, stream: stream{unpack: unpack}}), nil
}

// recordFormat reads TFRecord files of TensorFlow. A record consists of a length, a checksum of the
// length, the bytes, and a checksum of the bytes.
type recordFormat struct{ stream }

var crcTable = crc32.MakeTable(crc32.Castagnoli)

// masked returns the checksum of s as TFRecord files store it: the CRC-32C, rotated and increased by
// a constant. A plain CRC would be a weak checksum of data that itself contains CRCs.
func masked(s string) uint32 {
	c := crc32.Checksum([]byte(s), crcTable)
	return (c>>15 | c<<17) + 0xa282ead8
}

func (f *recordFormat) next() (rec Record, none, last bool, err error) {
	start := f.at
	lost := func(format string) (Record, bool, bool, error) {
		return Record{}, false, false, tensor.Errorf(tensor.DataLoss, "%q: "+format+" at %d", f.name, start)
	}
	head, err := f.take(12)
	switch {
	case err != nil:
		return Record{}, false, false, err
	case head == "":
		return Record{}, true, false, nil
	case len(head) < 12:
		return lost("truncated record")
	case binary.LittleEndian.Uint32([]byte(head[8:])) != masked(head[:8]):
		return lost("corrupted record")
	}
	n := binary.LittleEndian.Uint64([]byte(head[:8]))
	if left := f.size - f.at; left < 4 || n > uint64(left-4) {
		return lost("truncated record")
	}
	data, err := f.take(int64(n) + 4)
	switch {
	case err != nil:
		return Record{}, false, false, err
	case uint64(len(data)) < n+4:
		return lost("truncated record")
	case binary.LittleEndian.Uint32([]byte(data[n:])) != masked(data[:n]):
		return lost("corrupted record")
	}
	return Record{numbered(f.name, start), data[:n]}, false, false, nil
}

// NewRecordReader returns a reader of TensorFlow's records.
func NewRecordReader(p ReaderParams) tensor.Handle { return newReader(p, &recordFormat{}) }

// NewRecordZlibReader returns a reader like NewRecordReader, but for files that are zlib streams.
func NewRecordZlibReader(p ReaderParams) tensor.Handle {
	return newReader(p, &recordFormat{stream{unpack: inflate.Zlib}})
}

// NewRecordGzipReader returns a reader like NewRecordReader, but for files that are gzip streams.
func NewRecordGzipReader(p ReaderParams) tensor.Handle {
	return newReader(p, &recordFormat{stream{unpack: inflate.Gzip}})
}
