package bundle

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// crafted writes a checkpoint with the given data and entries. The entries may be wrong, but the
// checksums of the index are valid.
func crafted(t *testing.T, data []byte, es map[string]*entry) string {
	prefix := filepath.Join(t.TempDir(), "c")
	for _, e := range es {
		if e.crc == 0 {
			e.crc = mask(crc(0, data[min(max(e.offset, 0), int64(len(data))):]))
		}
	}
	for name, b := range map[string][]byte{indexName(prefix): index(&header{shards: 1}, es), dataName(prefix, 0, 1): data} {
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return prefix
}

// TestCrafted: wrong entries cause an error even if the checksums are valid.
func TestCrafted(t *testing.T) {
	const f32, str = 1, 7
	data := make([]byte, 16)
	for name, c := range map[string]struct {
		e    entry
		code tensor.Code
	}{
		"right":              {entry{dtype: f32, dims: []int64{4}, size: 16}, tensor.OK},
		"fewer bytes":        {entry{dtype: f32, dims: []int64{5}, size: 16}, tensor.DataLoss},
		"more bytes":         {entry{dtype: f32, dims: []int64{3}, size: 16}, tensor.DataLoss},
		"bytes that wrap":    {entry{dtype: f32, dims: []int64{1 << 62}, size: 16}, tensor.DataLoss},
		"elements wrap":      {entry{dtype: f32, dims: []int64{1 << 32, 1 << 32}, size: 16}, tensor.DataLoss},
		"negative size":      {entry{dtype: f32, dims: []int64{0}, size: -16}, tensor.DataLoss},
		"negative offset":    {entry{dtype: f32, dims: []int64{4}, size: 16, offset: -16}, tensor.InvalidArgument},
		"end wraps":          {entry{dtype: f32, dims: []int64{4}, size: 16, offset: math.MaxInt64 - 8}, tensor.InvalidArgument},
		"past the file":      {entry{dtype: f32, dims: []int64{1 << 45}, size: 1 << 47}, tensor.OutOfRange},
		"behind the file":    {entry{dtype: f32, dims: []int64{4}, size: 16, offset: 16}, tensor.OutOfRange},
		"strings":            {entry{dtype: str, dims: []int64{1 << 40}, size: 16}, tensor.DataLoss},
		"rank":               {entry{dtype: f32, dims: make([]int64, 255)}, tensor.DataLoss},
		"shard":              {entry{dtype: f32, dims: []int64{4}, size: 16, shard: 1}, tensor.NotFound},
		"reference":          {entry{dtype: 101, dims: []int64{4}, size: 16}, tensor.OK},
		"no type":            {entry{dtype: 300, dims: []int64{4}, size: 16}, tensor.InvalidArgument},
		"negative type":      {entry{dtype: -1, dims: []int64{4}, size: 16}, tensor.InvalidArgument},
		"unknown rank":       {entry{dtype: f32, unknownRank: true, size: 16}, tensor.DataLoss},
		"checksum":           {entry{dtype: f32, dims: []int64{4}, size: 16, crc: 5}, tensor.DataLoss},
		"many slices":        {entry{dtype: f32, dims: []int64{4}, crc: 1, slices: make([][]extent, maxSlices+1)}, tensor.ResourceExhausted},
		"slice's rank":       {entry{dtype: f32, dims: []int64{4}, crc: 1, slices: [][]extent{{}}}, tensor.DataLoss},
		"slice not there":    {entry{dtype: f32, dims: []int64{4}, crc: 1, slices: [][]extent{{{0, 4, true}}}}, tensor.NotFound},
		"negative dimension": {entry{dtype: f32, dims: []int64{-4, -1}, size: 16}, tensor.DataLoss},
	} {
		r, err := Open(crafted(t, data, map[string]*entry{"x": &c.e}))
		if err == nil {
			_, err = r.Read("x")
		}
		if tensor.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %v", name, err, c.code)
		}
	}
}

// TestCraftedStrings: the lengths of strings are checked even if their checksums are valid.
func TestCraftedStrings(t *testing.T) {
	for _, l := range []byte{2, 3, 4, 100} {
		lengths := binary.LittleEndian.AppendUint32(nil, uint32(l))
		raw := binary.LittleEndian.AppendUint32([]byte{l}, mask(crc(0, lengths)))
		sum := mask(crc(crc(crc(0, lengths), raw[1:]), []byte("abc")))
		raw = append(raw, "abc"...)
		r, err := Open(crafted(t, raw, map[string]*entry{"x": {dtype: 7, dims: []int64{1}, size: int64(len(raw)), crc: sum}}))
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Read("x")
		if l == 3 && (err != nil || got.Data.([]string)[0] != "abc") || l != 3 && tensor.CodeOf(err) != tensor.DataLoss {
			t.Errorf("a string of %d bytes: %v, %v", l, got, err)
		}
	}
}

// TestCraftedSlices: the slices of a variable must fill the variable without overlap.
func TestCraftedSlices(t *testing.T) {
	data := make([]byte, 16)
	for name, c := range map[string]struct {
		at   [][2]int64 // start and length
		code tensor.Code
	}{
		"whole":    {[][2]int64{{0, 4}, {4, 4}}, tensor.OK},
		"a gap":    {[][2]int64{{0, 4}}, tensor.InvalidArgument},
		"overlap":  {[][2]int64{{0, 4}, {2, 4}}, tensor.DataLoss},
		"too many": {[][2]int64{{0, 4}, {2, 4}, {4, 4}}, tensor.DataLoss},
		"outside":  {[][2]int64{{0, 4}, {6, 4}}, tensor.DataLoss},
		"below":    {[][2]int64{{-2, 4}, {2, 4}}, tensor.DataLoss},
	} {
		es := map[string]*entry{}
		whole := &entry{dtype: 1, dims: []int64{8}, crc: 1}
		for _, a := range c.at {
			p := []extent{{a[0], a[1], true}}
			whole.slices = append(whole.slices, p)
			es[sliceKey("x", p)] = &entry{dtype: 1, dims: []int64{a[1]}, size: 16}
		}
		es["x"] = whole
		r, err := Open(crafted(t, data, es))
		if err == nil {
			_, err = r.Read("x")
		}
		if tensor.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %v", name, err, c.code)
		}
	}
}

// TestCraftedSlice: the entry of a slice must match the entry of the whole.
func TestCraftedSlice(t *testing.T) {
	for name, c := range map[string]struct {
		p    extent
		e    entry
		code tensor.Code
	}{
		"right":         {extent{0, 4, true}, entry{dtype: 1, dims: []int64{4}, size: 16}, tensor.OK},
		"all of it":     {extent{}, entry{dtype: 1, dims: []int64{4}, size: 16}, tensor.OK},
		"type":          {extent{0, 4, true}, entry{dtype: 3, dims: []int64{4}, size: 16}, tensor.DataLoss},
		"slices again":  {extent{0, 4, true}, entry{dtype: 1, dims: []int64{4}, size: 16, slices: [][]extent{{{0, 4, true}}}}, tensor.DataLoss},
		"shape":         {extent{0, 4, true}, entry{dtype: 1, dims: []int64{2, 2}, size: 16}, tensor.DataLoss},
		"unknown shape": {extent{0, 4, true}, entry{dtype: 1, unknownRank: true, size: 16}, tensor.DataLoss},
		"bytes":         {extent{0, 4, true}, entry{dtype: 1, dims: []int64{4}, size: 12}, tensor.DataLoss},
		"file":          {extent{0, 4, true}, entry{dtype: 1, dims: []int64{4}, size: 16, offset: 8}, tensor.OutOfRange},
	} {
		key := "odd\x00\xff" // the key of a slice encodes the bytes 00 and ff in a special way
		p := []extent{c.p}
		r, err := Open(crafted(t, make([]byte, 16), map[string]*entry{key: {dtype: 1, dims: []int64{4}, crc: 1, slices: [][]extent{p}}, sliceKey(key, p): &c.e}))
		if err == nil {
			_, err = r.Read(key)
		}
		if tensor.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %v", name, err, c.code)
		}
	}
}

// TestCraftedStringLengths: wrong lengths of strings, or a wrong checksum of the lengths, cause an
// error.
func TestCraftedStringLengths(t *testing.T) {
	for says, raw := range map[string][]byte{
		"the length of string 0 does not parse": {0xff, 0xff, 0xff, 0xff, 0xff},
		"checksum of the strings' lengths is m": {0x80, 0x80, 0x80, 0x01, 0},
		"checksum of the strings' lengths is 0": {0, 0, 0, 0, 0},
		"they give":                             append(binary.AppendUvarint(nil, 1<<40), 1, 2, 3, 4),
	} {
		r, err := Open(crafted(t, raw, map[string]*entry{"x": {dtype: 7, dims: []int64{1}, size: int64(len(raw))}}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Read("x"); tensor.CodeOf(err) != tensor.DataLoss || !strings.Contains(err.Error(), says) {
			t.Errorf("%q expected: %v", says, err)
		}
	}
}

// TestCraftedBlock: a length in a block of the index must not reach beyond the block's end.
func TestCraftedBlock(t *testing.T) {
	for name, b := range map[string][]byte{
		"short":             {0, 0, 0},
		"restarts":          {2, 0, 0, 0},
		"many restarts":     {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff},
		"shared":            {1, 0, 0, 0, 0, 0, 0},
		"key":               {0, 5, 0, 'a', 0, 0, 0, 0},
		"value":             {0, 1, 5, 'a', 0, 0, 0, 0},
		"lengths that wrap": append(append([]byte{0, 1}, binary.AppendUvarint(nil, math.MaxUint64)...), 'a', 0, 0, 0, 0),
	} {
		if err := entries(b, func(string, []byte) error { return nil }); tensor.CodeOf(err) != tensor.DataLoss {
			t.Errorf("%s: %v", name, err)
		}
	}
	footer := func(at handle) []byte {
		b := at.append(handle{}.append(nil))
		b = append(b, make([]byte, footerLen-8-len(b))...)
		return binary.LittleEndian.AppendUint64(b, tableMagic)
	}
	for _, h := range []handle{{0, 1}, {1 << 63, 1 << 63}, {math.MaxUint64, 8}, {0, math.MaxUint64}} {
		if err := readTable(footer(h), func(string, []byte) error { return nil }); err == nil {
			t.Errorf("%v: %v", h, err)
		}
	}
}
