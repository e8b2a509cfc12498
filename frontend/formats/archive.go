package formats

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"path"
	"strconv"
	"strings"
)

const (
	maxDirectory = 1 << 20 // limit on the bytes of a zip archive's directory
	maxUnpacked  = 1 << 20 // limit on a gzip stream, before and after decompression
	tarBlock     = 512
)

// files returns the names in a zip archive, a tar archive, or a tar archive compressed with gzip.
// Detection reads only a bounded part of the archive, so files returns only the names in that part.
func (in *Input) files() []string {
	if in.opened {
		return in.archived
	}
	in.opened = true
	switch {
	case in.starts("PK"):
		in.archived = in.zipNames()
	case in.isGzip():
		in.archived = tarNames(in.gunzip())
	default:
		in.archived = tarNames(in.head)
	}
	return in.archived
}

func (in *Input) isGzip() bool { return in.starts("\x1f\x8b") }
func (in *Input) isZip() bool  { return in.starts("PK\x03\x04") }
func (in *Input) isTar() bool  { return !in.isZip() && len(in.files()) > 0 }

// inArchive returns the first file of the archive whose name, without its folders, is equal to
// base. It returns "" if there is no such file.
func (in *Input) inArchive(base string) string {
	for _, name := range in.files() {
		if path.Base(name) == base {
			return name
		}
	}
	return ""
}

// zipNames reads the names of a zip archive's directory, which is at its end.
func (in *Input) zipNames() (names []string) {
	const endLen, maxComment = 22, 1<<16 - 1
	tail := in.read(max(in.size-endLen-maxComment, 0), endLen+maxComment)
	i := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if i < 0 || len(tail)-i < endLen {
		return nil
	}
	size, off := int64(binary.LittleEndian.Uint32(tail[i+12:])), int64(binary.LittleEndian.Uint32(tail[i+16:]))
	dir := in.read(off, min(size, maxDirectory))
	const entryLen = 46
	for len(dir) >= entryLen && string(dir[:4]) == "PK\x01\x02" && len(names) < maxNames {
		n, extra, comment := int(binary.LittleEndian.Uint16(dir[28:])), int(binary.LittleEndian.Uint16(dir[30:])), int(binary.LittleEndian.Uint16(dir[32:]))
		if len(dir) < entryLen+n+extra+comment {
			break
		}
		names = append(names, string(dir[entryLen:entryLen+n]))
		dir = dir[entryLen+n+extra+comment:]
	}
	return names
}

// gunzip returns the first decompressed bytes of a gzip stream.
func (in *Input) gunzip() []byte {
	z, err := gzip.NewReader(bytes.NewReader(in.read(0, maxUnpacked)))
	if err != nil {
		return nil
	}
	raw, _ := io.ReadAll(io.LimitReader(z, maxUnpacked)) // a truncated stream gives an error after its last bytes
	return raw
}

// isTarHeader reports whether a block has tar's mark "ustar" and a valid checksum. The checksum is
// the sum of the block's bytes, with the bytes of the checksum field counted as spaces.
func isTarHeader(block []byte) bool {
	sum := 0
	for i, c := range block {
		if i >= 148 && i < 156 {
			c = ' '
		}
		sum += int(c)
	}
	want, err := strconv.ParseInt(strings.Trim(string(block[148:156]), " \x00"), 8, 64)
	return err == nil && int64(sum) == want && string(block[257:262]) == "ustar"
}

// tarNames returns the names of the files in a tar archive. The parameter raw holds the first bytes
// of the archive.
func tarNames(raw []byte) (names []string) {
	for len(raw) >= tarBlock && isTarHeader(raw[:tarBlock]) && len(names) < maxNames {
		name, _, _ := strings.Cut(string(raw[:100]), "\x00")
		names = append(names, path.Clean(name))
		digits := strings.Trim(string(raw[124:136]), " \x00")
		size, err := strconv.ParseInt(digits, 8, 64)
		if err != nil || size < 0 || size > int64(len(raw)) {
			break
		}
		next := tarBlock + (size+tarBlock-1)/tarBlock*tarBlock
		raw = raw[min(next, int64(len(raw))):]
	}
	return names
}
