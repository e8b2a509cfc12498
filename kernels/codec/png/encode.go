package png

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// EncodeParams describes images[N,H,W,C].
type EncodeParams struct {
	N, H, W, C  int
	Compression int // zlib's level: 0 to 9, or -1 for its default
}

// EncodeU8 writes one file for each image. The files decode to the same pixels as libpng's, but the
// compressed data differ. It returns InvalidArgument unless there are 1 to 4 channels, and Internal
// for an image without pixels.
func EncodeU8(run *mem.Budget, dst []string, src []uint8, p EncodeParams) error {
	return encode(run, dst, p, 1, func(row []byte, at int) { copy(row, src[at:]) })
}

// EncodeU16 is EncodeU8 for u16, 16 bits a sample.
func EncodeU16(run *mem.Budget, dst []string, src []uint16, p EncodeParams) error {
	return encode(run, dst, p, 2, func(row []byte, at int) {
		for i := range len(row) / 2 {
			binary.BigEndian.PutUint16(row[2*i:], src[at+i])
		}
	})
}

func encode(run *mem.Budget, dst []string, p EncodeParams, size int, read func(row []byte, at int)) error {
	switch {
	case p.C < 1 || p.C > 4:
		return bad("an image must have 1, 2, 3, or 4 channels, not %d", p.C)
	case mem.Len(p.N, p.H, p.W, p.C) >= 1<<31-1 || mem.Mul(p.W, p.C) >= (1<<31-1)/2:
		return bad("the image is too large")
	case p.N > 0 && (p.H == 0 || p.W == 0 || p.H > maxSide || p.W > maxSide):
		return tensor.Errorf(tensor.Internal, "PNG: an image of %d x %d pixels cannot be encoded", p.H, p.W)
	}
	for i := range dst {
		at := i * p.H * p.W * p.C
		b, err := build(run, p, 8*size, func(row []byte, y int) { read(row, at+y*p.W*p.C) })
		if err != nil {
			return err
		}
		run.MustMake(len(b))
		dst[i] = string(b)
	}
	return nil
}

// Append8 appends the image src[h,w,c] of 8 bits a sample to dst, as a file.
func Append8(run *mem.Budget, dst []byte, src []uint8, h, w, c int) ([]byte, error) {
	b, err := build(run, EncodeParams{H: h, W: w, C: c, Compression: -1}, 8, func(row []byte, y int) { copy(row, src[y*w*c:]) })
	return append(dst, b...), err
}

// encodeWork is about how many nanoseconds a byte takes, with all filters and compression.
const encodeWork = 30

// build returns an image as a PNG file. It calls read(row, y) to get row y of the image.
func build(run *mem.Budget, p EncodeParams, bits int, read func(row []byte, y int)) ([]byte, error) {
	var z bytes.Buffer
	held := 0 // bytes of z that count against the budget
	zw, err := zlib.NewWriterLevel(&z, p.Compression)
	if err != nil {
		return nil, bad("the compression must be in [-1, 9], not %d", p.Compression)
	}
	bpp := p.C * bits / 8
	n := p.W * bpp
	call := run.Call()
	defer call.Free()
	cur, prev, best, try := mem.Make[byte](&call, n), mem.Make[byte](&call, n), mem.Make[byte](&call, n+1), mem.Make[byte](&call, n+1)
	for y := range p.H {
		call.Work(rowWork + encodeWork*n)
		if have := z.Cap(); have > held { // it may double
			call.Need(3*have - 3*held)
			held = have
		}
		read(cur, y)
		filter(best, try, cur, prev, bpp, p.Compression != 0)
		if _, err := zw.Write(best); err != nil {
			return nil, tensor.Errorf(tensor.Internal, "PNG: %v", err)
		}
		cur, prev = prev, cur
	}
	if err := zw.Close(); err != nil {
		return nil, tensor.Errorf(tensor.Internal, "PNG: %v", err)
	}
	out := append(make([]byte, 0, z.Len()+64), signature...)
	head := binary.BigEndian.AppendUint32(nil, uint32(p.W))
	head = binary.BigEndian.AppendUint32(head, uint32(p.H))
	head = append(head, byte(bits), [5]byte{0, 0, 4, 2, 6}[p.C], 0, 0, 0)
	out = chunk(out, "IHDR", head)
	for b := z.Bytes(); ; {
		k := min(len(b), 1<<20)
		out = chunk(out, "IDAT", b[:k])
		if b = b[k:]; len(b) == 0 {
			break
		}
	}
	return chunk(out, "IEND", nil), nil
}

// filter converts the row cur to the form in the PNG file: the number of a prediction, and the
// differences from this prediction. It stores the result in the slice best. It chooses the prediction
// with the smallest sum of absolute differences. If the parameter choose is false, it uses no
// prediction.
func filter(best, try, cur, prev []byte, bpp int, choose bool) {
	best[0] = 0
	copy(best[1:], cur)
	if !choose {
		return
	}
	least := weight(best[1:])
	for kind := byte(1); kind <= 4; kind++ {
		try[0] = kind
		for i, v := range cur {
			var a, c int
			if i >= bpp {
				a, c = int(cur[i-bpp]), int(prev[i-bpp])
			}
			b := int(prev[i])
			switch kind {
			case 1:
				v -= byte(a)
			case 2:
				v -= byte(b)
			case 3:
				v -= byte((a + b) / 2)
			default:
				v -= paeth(a, b, c)
			}
			try[1+i] = v
		}
		if w := weight(try[1:]); w < least {
			least = w
			copy(best, try)
		}
	}
}

func weight(b []byte) int {
	n := 0
	for _, v := range b {
		d := int(int8(v))
		n += max(d, -d)
	}
	return n
}

func chunk(dst []byte, name string, body []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(body)))
	at := len(dst)
	dst = append(append(dst, name...), body...)
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[at:]))
}
