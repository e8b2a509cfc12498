package npy

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// file returns a .npy file of version 1.0 with the given header text and data.
func file(head, data string) string {
	b := binary.LittleEndian.AppendUint16([]byte(magic+"\x01\x00"), uint16(len(head)))
	return string(b) + head + data
}

func TestReadForms(t *testing.T) {
	for _, c := range []struct {
		name, src string
		dtype     tensor.DType
		shape     tensor.Shape
		data      any
	}{
		{"little", file("{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }\n", "\x01\x00\x00\x80"), tensor.Int16, tensor.Shape{2}, []int16{1, math.MinInt16}},
		{"big", file("{'descr': '>i4', 'fortran_order': False, 'shape': (1,), }\n", "\x00\x00\x01\x02"), tensor.Int32, tensor.Shape{1}, []int32{258}},
		{"big complex", file("{'descr': '>c8', 'fortran_order': False, 'shape': (), }", "\x3f\x80\x00\x00\x40\x00\x00\x00"), tensor.Complex64, tensor.Shape{}, []complex64{1 + 2i}},
		{"fortran", file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", "\x00\x03\x01\x04\x02\x05"), tensor.Uint8, tensor.Shape{2, 3}, []uint8{0, 1, 2, 3, 4, 5}},
		{"python 2", file("{'shape': (2L, 1L), 'fortran_order': False, 'descr': '|b1'}", "\x01\x00"), tensor.Bool, tensor.Shape{2, 1}, []bool{true, false}},
		{"bytes", file("{'descr': '|S3', 'fortran_order': False, 'shape': (2,), }", "ab\x00\x00\x00\x00"), tensor.String, tensor.Shape{2}, []string{"ab", ""}},
		{"text", file("{'descr': '<U2', 'fortran_order': False, 'shape': (1,), }", "\xe9\x00\x00\x00\x00\x00\x00\x00"), tensor.String, tensor.Shape{1}, []string{"é"}},
		{"text, highest byte first", file("{'descr': '>U1', 'fortran_order': False, 'shape': (1,), }", "\x00\x00\x00\xe9"), tensor.String, tensor.Shape{1}, []string{"é"}},
		{"no order of bytes", file("{'descr': 'i1', 'fortran_order': False, 'shape': (1,), }", "\xff"), tensor.Int8, tensor.Shape{1}, []int8{-1}},
		{"fortran strings", file("{'descr': '|S1', 'fortran_order': True, 'shape': (2, 2), }", "acbd"), tensor.String, tensor.Shape{2, 2}, []string{"a", "b", "c", "d"}},
		{"version 3", "\x93NUMPY\x03\x00\x39\x00\x00\x00{'descr': '|u1', 'fortran_order': False, 'shape': (0,)}   \n", tensor.Uint8, tensor.Shape{0}, []uint8{}},
		{"bfloat16", file("{'descr': '|V2', 'fortran_order': False, 'shape': (1,), }", "\x80\x3f"), tensor.BFloat16, tensor.Shape{1}, []tensor.BF16{0x3f80}},
		{"empty", file("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4), }", ""), tensor.Float64, tensor.Shape{0, 4}, []float64{}},
		{"version 2", "\x93NUMPY\x02\x00\x3b\x00\x00\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } \n\x00\x00\x80\x3f", tensor.Float32, tensor.Shape{1}, []float32{1}},
	} {
		got, err := Read(strings.NewReader(c.src))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.DType != c.dtype || !got.Shape.Equal(c.shape) || !reflect.DeepEqual(got.Data, c.data) {
			t.Errorf("%s: got %v %#v, want %v%v %#v", c.name, got, got.Data, c.dtype, c.shape, c.data)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct {
		name, src string
		code      tensor.Code
	}{
		{"nothing", "", tensor.DataLoss},
		{"magic", "PK\x03\x04aaaaaaaa", tensor.InvalidArgument},
		{"version", "\x93NUMPY\x09\x00aaaa", tensor.InvalidArgument},
		{"long header", "\x93NUMPY\x02\x00\xff\xff\xff\x7f", tensor.InvalidArgument},
		{"cut data", file("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000,), }", "abcd"), tensor.DataLoss},
		{"too many elements", file("{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999, 9999999999, 99999), }", ""), tensor.InvalidArgument},
		{"too many bytes", file("{'descr': '<f4', 'fortran_order': False, 'shape': (999999999999,), }", ""), tensor.ResourceExhausted},
		{"empty strings", file("{'descr': '|S0', 'fortran_order': False, 'shape': (999999999999,), }", ""), tensor.ResourceExhausted},
		{"a few more empty strings", file("{'descr': '|S0', 'fortran_order': False, 'shape': (1048577,), }", ""), tensor.ResourceExhausted},
		{"rank", file("{'descr': '<f4', 'fortran_order': False, 'shape': ("+strings.Repeat("1,", maxRank+1)+"), }", "abcd"), tensor.InvalidArgument},
		{"negative", file("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", ""), tensor.InvalidArgument},
		{"object", file("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", ""), tensor.Unimplemented},
		{"structured", file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", ""), tensor.Unimplemented},
		{"missing key", file("{'descr': '<f4', 'shape': (1,), }", ""), tensor.InvalidArgument},
		{"twice", file("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", ""), tensor.InvalidArgument},
		{"trailing", file("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", ""), tensor.InvalidArgument},
		{"unclosed", file("{'descr': '<f4', 'fortran_order': False, 'shape': (1", ""), tensor.InvalidArgument},
		{"character, highest byte first", file("{'descr': '>U1', 'fortran_order': False, 'shape': (), }", "\xff\xff\xff\xff"), tensor.InvalidArgument},
		{"length cut off", "\x93NUMPY\x01\x00\x01", tensor.DataLoss},
		{"long length cut off", "\x93NUMPY\x02\x00\x01\x00", tensor.DataLoss},
		{"header cut off", "\x93NUMPY\x01\x00\x10\x00{'descr'", tensor.DataLoss},
		{"cut bools", file("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", "\x01"), tensor.DataLoss},
		{"cut strings", file("{'descr': '|S2', 'fortran_order': False, 'shape': (3,), }", "abcde"), tensor.DataLoss},
		{"short type", file("{'descr': 'f', 'fortran_order': False, 'shape': (1,), }", ""), tensor.Unimplemented},
		{"length of strings", file("{'descr': '|S-1', 'fortran_order': False, 'shape': (1,), }", ""), tensor.Unimplemented},
		{"long strings", file("{'descr': '|S999999999', 'fortran_order': False, 'shape': (1,), }", ""), tensor.Unimplemented},
		{"order", file("{'descr': '<f4', 'fortran_order': 1, 'shape': (1,), }", ""), tensor.InvalidArgument},
		{"key", file("{'descr': '<f4', 'fortran_order': False, 'shapes': (1,), }", ""), tensor.InvalidArgument},
		{"colon", file("{'descr' '<f4'}", ""), tensor.InvalidArgument},
		{"key without quotes", file("{descr: '<f4'}", ""), tensor.InvalidArgument},
		{"open string", file("{'descr", ""), tensor.InvalidArgument},
		{"escape", file("{'de\\'scr': 1}", ""), tensor.InvalidArgument},
		{"commas between dimensions", file("{'descr': '<f4', 'fortran_order': False, 'shape': (1 2), }", ""), tensor.InvalidArgument},
		{"commas between keys", file("{'descr': '<f4' 'fortran_order': False, 'shape': (), }", ""), tensor.InvalidArgument},
		{"no character", file("{'descr': '<U1', 'fortran_order': False, 'shape': (), }", "\xff\xff\xff\xff"), tensor.InvalidArgument},
	} {
		if _, err := Read(strings.NewReader(c.src)); tensor.CodeOf(err) != c.code {
			t.Errorf("%s: got %v, want %v", c.name, err, c.code)
		}
	}
}

// all returns a tensor of each type that can be stored.
func all() map[string]*tensor.Tensor {
	s := tensor.Shape{2}
	return map[string]*tensor.Tensor{
		"f32": {DType: tensor.Float32, Shape: s, Data: []float32{1.5, float32(math.Inf(-1))}},
		"f64": {DType: tensor.Float64, Shape: s, Data: []float64{math.Pi, math.Copysign(0, -1)}},
		"i8":  {DType: tensor.Int8, Shape: s, Data: []int8{-1, 127}},
		"i16": {DType: tensor.Int16, Shape: s, Data: []int16{-1, 2}}, "i32": {DType: tensor.Int32, Shape: s, Data: []int32{-1, 2}},
		"i64": {DType: tensor.Int64, Shape: s, Data: []int64{math.MinInt64, 2}},
		"u8":  {DType: tensor.Uint8, Shape: s, Data: []uint8{1, 255}}, "u16": {DType: tensor.Uint16, Shape: s, Data: []uint16{1, 65535}},
		"u32": {DType: tensor.Uint32, Shape: s, Data: []uint32{1, 1 << 31}}, "u64": {DType: tensor.Uint64, Shape: s, Data: []uint64{1, 1 << 63}},
		"bool": {DType: tensor.Bool, Shape: s, Data: []bool{true, false}}, "f16": {DType: tensor.Half, Shape: s, Data: []tensor.F16{1, 0x7c00}},
		"bf16": {DType: tensor.BFloat16, Shape: s, Data: []tensor.BF16{1, 0x3f80}}, "qi8": {DType: tensor.QInt8, Shape: s, Data: []int8{-1, 2}},
		"qi32": {DType: tensor.QInt32, Shape: s, Data: []int32{-1, 2}}, "qu16": {DType: tensor.QUint16, Shape: s, Data: []uint16{1, 2}},
		"c64":      {DType: tensor.Complex64, Shape: s, Data: []complex64{1 + 2i, -3i}},
		"c128/x:0": {DType: tensor.Complex128, Shape: s, Data: []complex128{1 + 2i, -3i}},
		"str":      {DType: tensor.String, Shape: s, Data: []string{"", "a\x00\xffb"}},
		"scalar":   {DType: tensor.Float32, Shape: tensor.Shape{}, Data: []float32{7}},
		"none":     {DType: tensor.String, Shape: tensor.Shape{0, 3}, Data: []string{}},
	}
}

func TestZipRoundTrip(t *testing.T) {
	dir := t.TempDir()
	for name, write := range map[string]func(string, map[string]*tensor.Tensor) error{"stored": WriteZip, "deflated": WriteZipCompressed} {
		p1, p2 := filepath.Join(dir, name+"1.npz"), filepath.Join(dir, name+"2.npz")
		for _, p := range []string{p1, p2} {
			if err := write(p, all()); err != nil {
				t.Fatal(err)
			}
		}
		b1, _ := os.ReadFile(p1)
		b2, _ := os.ReadFile(p2)
		if !bytes.Equal(b1, b2) {
			t.Errorf("%s: two files of the same tensors differ", name)
		}
		got, err := ReadZip(p1)
		if err != nil {
			t.Fatal(err)
		}
		want := all()
		if len(got) != len(want) {
			t.Errorf("%s: %d arrays, want %d", name, len(got), len(want))
		}
		for k, w := range want {
			g, err := Cast(got[k], w.DType)
			if err != nil {
				t.Errorf("%s: %s: %v", name, k, err)
				continue
			}
			if !g.Shape.Equal(w.Shape) || !reflect.DeepEqual(g.Data, w.Data) {
				t.Errorf("%s: %s: got %v, want %v", name, k, g.Data, w.Data)
			}
		}
	}
}

func TestWriteMatchesNumPy(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, tensor.Must(tensor.From(tensor.Shape{3}, []int64{1, 2, 3}))); err != nil {
		t.Fatal(err)
	}
	head := "\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }" + strings.Repeat(" ", 60) + "\n"
	if got := b.String()[:128]; got != head {
		t.Errorf("got %q, want %q", got, head)
	}
}

func TestWriteRefuses(t *testing.T) {
	for _, c := range []struct {
		t    *tensor.Tensor
		code tensor.Code
	}{
		{&tensor.Tensor{DType: tensor.String, Shape: tensor.Shape{1}, Data: []string{"a\x00"}}, tensor.Unimplemented},
		{&tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{2}, Data: []float32{1}}, tensor.InvalidArgument},
		{&tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{1}, Data: []int32{1}}, tensor.InvalidArgument},
		{&tensor.Tensor{DType: tensor.Resource, Shape: tensor.Shape{}}, tensor.InvalidArgument},
	} {
		if err := Write(&bytes.Buffer{}, c.t); tensor.CodeOf(err) != c.code {
			t.Errorf("%v: got %v, want %v", c.t, err, c.code)
		}
	}
}

func TestZipRefuses(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for range 2 {
		w, _ := z.Create("a.npy")
		Write(w, tensor.Must(tensor.From(nil, []float32{1})))
	}
	z.Close()
	if _, err := ReadZipFrom(bytes.NewReader(b.Bytes()), int64(b.Len())); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a name given twice: %v", err)
	}
	var c bytes.Buffer
	if err := WriteZipTo(&c, map[string]*tensor.Tensor{"a": tensor.Must(tensor.From(nil, []float32{1}))}, false); err != nil {
		t.Fatal(err)
	}
	broken := bytes.Replace(c.Bytes(), []byte("\x00\x00\x80\x3f"), []byte("\x00\x00\x81\x3f"), 1)
	if _, err := ReadZipFrom(bytes.NewReader(broken), int64(len(broken))); tensor.CodeOf(err) != tensor.DataLoss {
		t.Errorf("a changed byte: %v", err)
	}
	if _, err := ReadZip(filepath.Join(t.TempDir(), "none.npz")); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("no file: %v", err)
	}
}

// TestLargeAndSwapped reads a file that is read in several parts, and files whose byte order
// differs from the host's.
func TestLargeAndSwapped(t *testing.T) {
	data := make([]float64, 3*part/8+5)
	for i := range data {
		data[i] = float64(i)
	}
	large := tensor.Must(tensor.From(tensor.Shape{len(data)}, data))
	defer func(was bool) { hostBig = was }(hostBig)
	for _, x := range []*tensor.Tensor{large, tensor.Must(tensor.From(tensor.Shape{2}, []complex64{1 + 2i, 3})), tensor.Must(tensor.From(tensor.Shape{2}, []uint8{1, 2}))} {
		var plain, swapped bytes.Buffer
		hostBig = false
		if err := Write(&plain, x); err != nil {
			t.Fatal(err)
		}
		if got, err := Read(bytes.NewReader(plain.Bytes())); err != nil || !reflect.DeepEqual(got.Data, x.Data) {
			t.Errorf("%v: %v", x, err)
		}
		hostBig = true // from here on, Write and Read treat numbers in memory as big-endian
		if err := Write(&swapped, x); err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(plain.Bytes(), swapped.Bytes()) != (x.DType == tensor.Uint8) {
			t.Errorf("%v: the order of bytes is not the file's", x)
		}
		if got, err := Read(bytes.NewReader(swapped.Bytes())); err != nil || !reflect.DeepEqual(got.Data, x.Data) {
			t.Errorf("%v, swapped: %v", x, err)
		}
	}
	if b := makeHeader("<f4", make(tensor.Shape, 30_000)); b[6] != 2 || len(b)%64 != 0 || int(binary.LittleEndian.Uint32(b[8:])) != len(b)-12 {
		t.Errorf("a long header: %d bytes, %q", len(b), b[:12])
	}
}

// TestCast checks to which types an array can be cast.
func TestCast(t *testing.T) {
	u16, i8 := tensor.Must(tensor.From(tensor.Shape{1}, []uint16{0x3c00})), tensor.Must(tensor.From(tensor.Shape{1}, []int8{3}))
	for _, c := range []struct {
		t    *tensor.Tensor
		d    tensor.DType
		want any
	}{
		{u16, tensor.Half, []tensor.F16{0x3c00}}, {u16, tensor.BFloat16, []tensor.BF16{0x3c00}}, {u16, tensor.QUint16, []uint16{0x3c00}}, {u16, tensor.Uint16, []uint16{0x3c00}},
		{i8, tensor.QInt8, []int8{3}}, {i8, tensor.Half, nil}, {i8, tensor.Resource, nil}, {u16, tensor.Float32, nil},
	} {
		got, err := Cast(c.t, c.d)
		if c.want == nil {
			if tensor.CodeOf(err) != tensor.InvalidArgument {
				t.Errorf("%v as %v: %v", c.t, c.d, err)
			}
			continue
		}
		if err != nil || got.DType != c.d || !reflect.DeepEqual(got.Data, c.want) {
			t.Errorf("%v as %v: %v, %v", c.t, c.d, got, err)
		}
	}
	for d, want := range map[tensor.DType]string{tensor.QInt16: "<i2", tensor.QUint8: "|u1", tensor.QInt8: "|i1", tensor.QInt32: "<i4", tensor.QUint16: "<u2", tensor.BFloat16: "<u2", tensor.Complex64: "<c8", tensor.String: ""} {
		if got := Descr(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

// full is a writer that accepts n bytes.
type full struct{ n int }

func (f *full) Write(b []byte) (int, error) {
	if f.n -= len(b); f.n < 0 {
		return 0, syscall.ENOSPC
	}
	return len(b), nil
}

// TestBrokenFiles tests failing writes, and files that are not archives of arrays.
func TestBrokenFiles(t *testing.T) {
	one := tensor.Must(tensor.From(tensor.Shape{2}, []string{"a", "b"}))
	for _, n := range []int{0, 64, 129} {
		if err := Write(&full{n}, one); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("room for %d bytes: %v", n, err)
		}
	}
	ts := map[string]*tensor.Tensor{"a": {DType: tensor.Float32, Shape: tensor.Shape{2, -1}}}
	if err := WriteZipTo(&bytes.Buffer{}, ts, false); tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), `"a": `) {
		t.Errorf("a shape: %v", err)
	}
	if err := WriteZipTo(&full{10}, map[string]*tensor.Tensor{"a": one}, false); err == nil {
		t.Error("an archive is written where there is no room")
	}
	if err := WriteZip(filepath.Join(t.TempDir(), "none", "a.npz"), nil); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("no folder: %v", err)
	}
	if _, err := ReadZip(t.TempDir()); err == nil {
		t.Error("a folder is read")
	}
	if _, err := ReadZipFrom(strings.NewReader("no archive"), 10); tensor.CodeOf(err) != tensor.DataLoss {
		t.Errorf("no archive: %v", err)
	}
	archive := func(write func(z *zip.Writer)) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		write(z)
		z.Close()
		return b.Bytes()
	}
	for says, b := range map[string][]byte{
		"unsupported compression": archive(func(z *zip.Writer) {
			if _, err := z.CreateRaw(&zip.FileHeader{Name: "a.npy", Method: 77}); err != nil {
				t.Fatal(err)
			}
		}),
		"corrupt input": archive(func(z *zip.Writer) {
			w, err := z.CreateRaw(&zip.FileHeader{Name: "a.npy", Method: zip.Deflate, CompressedSize64: 3, UncompressedSize64: 100})
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(w, "\xff\xff\xff")
		}),
		"data after the array": archive(func(z *zip.Writer) {
			w, _ := z.Create("a.npy")
			Write(w, one)
			io.WriteString(w, "more")
		}),
	} {
		if _, err := ReadZipFrom(bytes.NewReader(b), int64(len(b))); tensor.CodeOf(err) != tensor.DataLoss || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), `"a"`) {
			t.Errorf("%q expected: %v", says, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(file("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }", "abcdefgh")))
	f.Add([]byte(file("{'descr': '<U2', 'fortran_order': False, 'shape': (1,), }", "\xe9\x00\x00\x00\x00\x00\x00\x00")))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		if n, _ := x.Shape.Len(); n != x.Len() {
			t.Errorf("%v holds %d elements", x, x.Len())
		}
		if err := Write(&bytes.Buffer{}, x); err != nil {
			t.Errorf("what was read is not written: %v", err)
		}
	})
}

// TestLimits: reading fails with ResourceExhausted if the arrays need more memory than the limit,
// even if the compressed file is small.
func TestLimits(t *testing.T) {
	dir := t.TempDir()
	const most = 4096
	zeros := func(n int) *tensor.Tensor { return tensor.Must(tensor.New(tensor.Float32, tensor.Shape{n}, 0)) }
	strs := func(n int) *tensor.Tensor { return tensor.Must(tensor.New(tensor.String, tensor.Shape{n}, 0)) }
	for name, c := range map[string]struct {
		arrays map[string]*tensor.Tensor
		code   tensor.Code
	}{
		"all":             {map[string]*tensor.Tensor{"a": zeros(most / 4)}, tensor.OK},
		"one more":        {map[string]*tensor.Tensor{"a": zeros(most/4 + 1)}, tensor.ResourceExhausted},
		"two":             {map[string]*tensor.Tensor{"a": zeros(most / 8), "b": zeros(most / 8)}, tensor.OK},
		"two, beyond":     {map[string]*tensor.Tensor{"a": zeros(most / 8), "b": zeros(most/8 + 1)}, tensor.ResourceExhausted},
		"strings":         {map[string]*tensor.Tensor{"a": strs(most / 32)}, tensor.OK},
		"strings, beyond": {map[string]*tensor.Tensor{"a": strs(most/16 + 1)}, tensor.ResourceExhausted},
	} {
		file := filepath.Join(dir, "a.npz")
		if err := WriteZipCompressed(file, c.arrays); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadZipLimit(file, most); tensor.CodeOf(err) != c.code {
			t.Errorf("%s in an .npz file: %v, want %v", name, err, c.code)
		}
		if len(c.arrays) > 1 {
			continue
		}
		var b bytes.Buffer
		if err := Write(&b, c.arrays["a"]); err != nil {
			t.Fatal(err)
		}
		file = filepath.Join(dir, "a.npy")
		if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadFile(file, most); tensor.CodeOf(err) != c.code {
			t.Errorf("%s in an .npy file: %v, want %v", name, err, c.code)
		}
	}
}

// TestReadFile: ReadFile refuses a file that does not contain exactly one array.
func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.npy")
	one := file("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", "\x00\x07")
	for text, code := range map[string]tensor.Code{one: tensor.OK, one + "\x00": tensor.InvalidArgument, one + one: tensor.InvalidArgument, one[:len(one)-1]: tensor.DataLoss} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := ReadFile(name, 100)
		if tensor.CodeOf(err) != code {
			t.Errorf("%d bytes: %v, want %v", len(text), err, code)
		}
		if err == nil && !reflect.DeepEqual(got.Data, []bool{false, true}) {
			t.Errorf("got %v", got.Data)
		}
	}
	if _, err := ReadFile(dir, 100); tensor.CodeOf(err) != tensor.FailedPrecondition {
		t.Errorf("a folder: %v", err)
	}
	if _, err := ReadZipLimit(dir, 100); tensor.CodeOf(err) != tensor.FailedPrecondition {
		t.Errorf("a folder: %v", err)
	}
}

// TestLongDirectory: an overlong list of arrays is refused.
func TestLongDirectory(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := range 150 {
		if _, err := z.Create(fmt.Sprintf("%d%s", i, strings.Repeat("a", 60_000))); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadZipFrom(bytes.NewReader(b.Bytes()), int64(b.Len())); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("%v", err)
	}
}
