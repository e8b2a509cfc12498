// Package inflate decompresses strings as TensorFlow's ZlibInputStream does. In particular, if a
// stream is truncated, the result is the part that could be decompressed.
package inflate

import (
	"compress/flate"
	"errors"
	"hash"
	"hash/adler32"
	"hash/crc32"
	"io"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// MaxBytes is the limit in bytes for the result of an op that decompresses a string.
const MaxBytes = 512 << 20

// Zlib decompresses a zlib stream (RFC 1950). Bytes after the stream are ignored. For a truncated
// stream Zlib returns the decompressed part. The error is DataLoss for a malformed stream, and
// ResourceExhausted for more than limit bytes.
func Zlib(s string, limit int) (string, error) { return unpack(s, limit, zlibStream) }

// Gzip decompresses a sequence of gzip streams (RFC 1952). Other bytes after a stream are an error.
// The result for a truncated stream and the errors are as for Zlib.
func Gzip(s string, limit int) (string, error) { return unpack(s, limit, gzipStream) }

// errCut is the error of a truncated stream.
var errCut = errors.New("cut short")

var errMuch = errors.New("too much")

func unpack(s string, limit int, stream func(w io.Writer, s string) error) (string, error) {
	// A result of more than this many bytes is decompressed twice: once to find its length, and
	// once into memory of exactly that size.
	const small = 1 << 20
	var b strings.Builder
	w := &bounded{b: &b, keep: small, limit: limit}
	err := stream(w, s)
	if (err == nil || err == errCut) && w.n > small {
		n := w.n
		b.Reset()
		b.Grow(n)
		err = stream(&bounded{b: &b, keep: n, limit: n}, s)
	}
	switch err {
	case nil, errCut:
		return b.String(), nil
	case errMuch:
		return "", tensor.Errorf(tensor.ResourceExhausted, "more than %d decompressed bytes, the most that are allowed", limit)
	}
	return "", tensor.Errorf(tensor.DataLoss, "inflate() failed: %v", err)
}

// bounded is a writer that appends to b as long as at most keep bytes are written in total. It
// counts further bytes without storing them. A write beyond limit bytes in total is an error.
type bounded struct {
	b              *strings.Builder
	n, keep, limit int
}

func (w *bounded) Write(p []byte) (int, error) {
	if len(p) > w.limit-w.n {
		return 0, errMuch
	}
	w.n += len(p)
	if w.n <= w.keep {
		w.b.Write(p)
	}
	return len(p), nil
}

// deflated decompresses r into w, and returns the number of decompressed bytes. The parameter sum is a
// checksum that deflated updates with these bytes.
func deflated(w io.Writer, r *strings.Reader, sum hash.Hash) (n int64, err error) {
	n, err = io.Copy(io.MultiWriter(w, sum), flate.NewReader(r))
	if err == io.ErrUnexpectedEOF {
		err = errCut
	}
	return n, err
}

func zlibStream(w io.Writer, s string) error {
	if len(s) < 2 {
		return errCut
	}
	switch cmf, flg := s[0], s[1]; {
	case (int(cmf)<<8|int(flg))%31 != 0:
		return errors.New("incorrect header check")
	case cmf&15 != 8:
		return errors.New("unknown compression method")
	case cmf>>4 > 7:
		return errors.New("invalid window size")
	case flg&0x20 != 0:
		return errors.New("a preset dictionary is needed")
	}
	r := strings.NewReader(s[2:])
	sum := adler32.New()
	if _, err := deflated(w, r, sum); err != nil {
		return err
	}
	rest := s[len(s)-r.Len():]
	if len(rest) < 4 {
		return errCut
	}
	if be32(rest) != sum.Sum32() {
		return errors.New("incorrect data check")
	}
	return nil
}

func be32(s string) uint32 {
	return uint32(s[0])<<24 | uint32(s[1])<<16 | uint32(s[2])<<8 | uint32(s[3])
}

func le32(s string) uint32 {
	return uint32(s[3])<<24 | uint32(s[2])<<16 | uint32(s[1])<<8 | uint32(s[0])
}

func gzipStream(w io.Writer, s string) error {
	for {
		head, err := gzipHeader(s)
		if err != nil {
			return err
		}
		r := strings.NewReader(s[head:])
		sum := crc32.NewIEEE()
		n, err := deflated(w, r, sum)
		if err != nil {
			return err
		}
		s = s[len(s)-r.Len():]
		switch {
		case len(s) >= 4 && le32(s) != sum.Sum32():
			return errors.New("incorrect data check")
		case len(s) >= 8 && le32(s[4:]) != uint32(n):
			return errors.New("incorrect length check")
		case len(s) < 8:
			return errCut
		case len(s) == 8:
			return nil
		}
		s = s[8:]
	}
}

// gzipHeader returns the length of the header of s.
func gzipHeader(s string) (int, error) {
	for i, want := range []byte{0x1f, 0x8b, 8} {
		switch {
		case i >= len(s):
			return 0, errCut
		case s[i] != want:
			return 0, errors.New("incorrect header check")
		}
	}
	if len(s) < 10 {
		return 0, errCut
	}
	flags, at := s[3], 10
	if flags&0xe0 != 0 {
		return 0, errors.New("unknown header flags set")
	}
	if flags&4 != 0 { // extra bytes, preceded by their number
		if len(s) < at+2 {
			return 0, errCut
		}
		at += 2 + int(s[at]) + int(s[at+1])<<8
	}
	// skip the file name and the comment, if the header has them; each ends with a zero byte
	for _, f := range []byte{8, 16} {
		if flags&f == 0 {
			continue
		}
		if at >= len(s) {
			return 0, errCut
		}
		n := strings.IndexByte(s[at:], 0)
		if n < 0 {
			return 0, errCut
		}
		at += n + 1
	}
	if flags&2 != 0 {
		if len(s) < at+2 {
			return 0, errCut
		}
		if uint16(crc32.ChecksumIEEE([]byte(s[:at]))) != uint16(s[at])|uint16(s[at+1])<<8 {
			return 0, errors.New("header crc mismatch")
		}
		at += 2
	}
	if at > len(s) {
		return 0, errCut
	}
	return at, nil
}
