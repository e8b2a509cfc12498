package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/graphc/graphc/internal/fuzzgraph"
	"github.com/graphc/graphc/rt/npy"
	"github.com/graphc/graphc/rt/tensor"
)

// feeder draws the feeds for one start of a program.
type feeder struct {
	r     *rand.Rand
	p     *program
	dir   string // for files
	notes []string
}

func (f *feeder) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf("%.200s", fmt.Sprintf(format, args...)))
}

func (f *feeder) one(in int) bool { return f.r.IntN(in) == 0 }

func pick[T any](f *feeder, list []T) T { return list[f.r.IntN(len(list))] }

// feeds returns the arguments and the standard input of a program, and writes the files that the
// arguments name.
func (f *feeder) feeds() (args []string, in []byte, err error) {
	if err := os.RemoveAll(f.dir); err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return nil, nil, err
	}
	fed := f.p.fed
	if f.one(2) {
		m := fuzzgraph.New("feeds", f.r.Uint64())
		fed = m.Feeds(fed)
		f.notes = append(f.notes, m.Notes...)
	}
	all := map[string]*tensor.Tensor{}
	for i, name := range f.p.names {
		if t := fed[name]; t != nil {
			all[f.p.feeds[i]] = f.texts(t)
		}
	}
	names := slices.DeleteFunc(slices.Clone(f.p.feeds), func(name string) bool { return all[name] == nil })
	spoil := len(names) - 1 // index of the feed whose file is damaged
	if spoil >= 0 && f.one(2) {
		spoil = f.r.IntN(len(names))
	}
	switch f.r.IntN(8) {
	case 0: // an archive of all feeds
		raw, err := f.archive(all)
		if err != nil {
			return nil, nil, err
		}
		path, err := f.write("all.npz", f.damaged(raw))
		return []string{"-feed", path}, nil, err
	case 1: // a JSON object of all feeds
		return []string{"-feed", "-"}, f.damagedText(object(names, all)), nil
	case 2: // lines
		for range 1 + f.r.IntN(4) {
			line := append(append([]byte(`{"feeds": `), object(names, all)...), '}')
			if f.one(2) {
				line = f.damagedText(line)
			}
			in = append(append(in, line...), '\n')
		}
		return []string{"-lines"}, in, nil
	}
	for i, name := range names {
		text, err := f.feed(name, all[name], i == spoil && f.one(2), &in)
		if err != nil {
			return nil, nil, err
		}
		args = append(args, "-feed", name+"="+text)
	}
	if f.one(20) && len(args) > 0 { // a repeated or unknown feed
		args = append(args, "-feed", pick(f, []string{"f0", "f9", "", "f0:0"})+"="+pick(f, []string{"1", "[", "-", "no.npy", "/dev/null", ".", "x.npz"}))
	}
	return args, in, nil
}

func (f *feeder) write(name string, data []byte) (string, error) {
	path := filepath.Join(f.dir, name)
	return path, os.WriteFile(path, data, 0o666)
}

// feed stores the value of one feed in a file, in an argument or in standard input. It returns the
// text that follows "name=" in the flag -feed.
func (f *feeder) feed(name string, t *tensor.Tensor, damaged bool, in *[]byte) (string, error) {
	text := f.damagedText
	if !damaged {
		text = func(b []byte) []byte { return b }
	}
	switch k := f.r.IntN(6); {
	case k == 0:
		b := text(appendJSON(nil, t))
		if len(b) < 50_000 && bytes.IndexByte(b, 0) < 0 { // arguments are limited in size and have no zero bytes
			return string(b), nil
		}
		return f.write(name+".json", b)
	case k == 1:
		return f.write(name+".json", text(appendJSON(nil, t)))
	case k == 2 && *in == nil:
		*in = text(appendJSON(nil, t))
		return "-", nil
	case k == 3 && t.Rank() == 2:
		return f.write(name+".csv", text(asCSV(t)))
	}
	var b bytes.Buffer
	if err := npy.Write(&b, t); err != nil { // npy cannot represent strings that end in a zero byte
		return f.write(name+".json", text(appendJSON(nil, t)))
	}
	raw := b.Bytes()
	if damaged {
		if f.one(3) {
			raw = f.header(t, raw)
		}
		raw = f.damaged(raw)
	}
	return f.write(name+".npy", raw)
}

// archive returns an .npz file of some tensors. Sometimes its arrays are much larger than the file.
func (f *feeder) archive(all map[string]*tensor.Tensor) ([]byte, error) {
	kept := map[string]*tensor.Tensor{}
	for name, t := range all {
		if npy.Write(&bytes.Buffer{}, t) == nil { // npy cannot represent strings that end in a zero byte
			kept[name] = t
		}
	}
	if f.one(10) && len(kept) > 0 {
		for name := range kept {
			f.note("%s is zeros", name)
			kept[name] = tensor.Must(tensor.From(tensor.Shape{1 << 21}, make([]float64, 1<<21)))
		}
	}
	var b bytes.Buffer
	err := npy.WriteZipTo(&b, kept, f.one(2))
	return b.Bytes(), err
}

// header returns a copy of raw, the .npy file of t, in which a random header replaces the right
// one.
func (f *feeder) header(t *tensor.Tensor, raw []byte) []byte {
	descr := pick(f, []string{npy.Descr(t.DType), npy.Descr(t.DType), "<f4", ">f4", "<i8", "|b1", "|O", "|S0", "|S2147483647", "<U2147483647", "<c16", "|V8", "<f16", ""})
	shape := pick(f, []string{"()", "(1,)", "(-1,)", "(0,)", "(4611686018427387904, 4)", "(0, 9223372036854775807)", "(9223372036854775807, 0)", "(17179869184, 0, 1)",
		"(1000000000,)", "(18446744073709551616,)", "(" + strings.Repeat("1, ", 300) + ")", "(" + strings.Repeat("(", 3000), "(1.5,)", "(1", "None", "(1, 17179869184, 0)"})
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, pick(f, []string{"False", "True", "0", "None"}), shape)
	f.note("header %s", text)
	head := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	size := len(text)
	if f.one(8) {
		size = int(f.r.Uint32N(1 << 16))
	}
	binary.LittleEndian.PutUint16(head[8:], uint16(size))
	at := 10
	if len(raw) > 10 {
		at = min(len(raw), 10+int(binary.LittleEndian.Uint16(raw[8:])))
	}
	return slices.Concat(head, []byte(text), raw[at:])
}

// damaged changes bytes of a file.
func (f *feeder) damaged(raw []byte) []byte {
	raw = slices.Clone(raw)
	for range f.r.IntN(4) {
		if len(raw) == 0 {
			break
		}
		at := f.r.IntN(len(raw))
		if f.one(2) { // in the headers
			at = f.r.IntN(min(len(raw), 128))
		}
		switch f.r.IntN(6) {
		case 0:
			raw[at] ^= 1 << f.r.IntN(8)
		case 1:
			raw[at] = pick(f, []byte{0, 1, 0x7f, 0x80, 0xff, '9', '(', ','})
		case 2:
			raw = raw[:at]
		case 3:
			raw = append(raw, raw[:min(len(raw), 64)]...)
		case 4:
			end := min(len(raw), at+1+f.r.IntN(16))
			raw = slices.Delete(raw, at, end)
		case 5:
			if at+8 <= len(raw) {
				binary.LittleEndian.PutUint64(raw[at:], pick(f, []uint64{0, 1, 1 << 31, 1<<32 - 1, 1 << 40, 1<<63 - 1, 1 << 63, math.MaxUint64}))
			}
		}
	}
	return raw
}

// damagedText changes a text in JSON or CSV.
func (f *feeder) damagedText(b []byte) []byte {
	b = slices.Clone(b)
	for range f.r.IntN(4) {
		at := f.r.IntN(len(b) + 1)
		word := pick(f, []string{"[", "]", "{", "}", ",", ":", `"`, "1e999", "-", "NaN", "null", "true", "\x00", "\xff", `"\ud800"`, `{"b64": "AA=="}`, `{"b64": "*"}`,
			"1e-9999999999", "9223372036854775808", "0x10", " [[]] ", "\n", `"f0": 1,`, "//", strings.Repeat("[", 20_000), strings.Repeat("9", 100_000), strings.Repeat("a", 1<<20)})
		switch f.r.IntN(4) {
		case 0:
			b = b[:at]
		case 1, 2:
			b = slices.Insert(b, at, []byte(word)...)
		case 3:
			if at < len(b) {
				b[at] = byte(f.r.UintN(256))
			}
		}
	}
	return b
}

// object returns a JSON object of all feeds.
func object(names []string, all map[string]*tensor.Tensor) []byte {
	b := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendJSON(fmt.Appendf(b, "%q: ", name), all[name])
	}
	return append(b, '}')
}

// appendJSON appends tensor t to b as nested JSON lists.
func appendJSON(b []byte, t *tensor.Tensor) []byte {
	v := reflect.ValueOf(t.Data)
	at := 0
	var lists func(s tensor.Shape)
	lists = func(s tensor.Shape) {
		if len(s) == 0 {
			b = append(b, element(v.Index(at))...)
			at++
			return
		}
		b = append(b, '[')
		for i := range min(s[0], 1<<16) {
			if i > 0 {
				b = append(b, ',')
			}
			lists(s[1:])
		}
		b = append(b, ']')
	}
	lists(t.Shape)
	return b
}

// element formats one element as JSON.
func element(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case string:
		if !utf8.ValidString(x) {
			return `{"b64": "` + base64.StdEncoding.EncodeToString([]byte(x)) + `"}`
		}
		text, _ := json.Marshal(x) // does not fail for strings
		return string(text)
	case float32, float64, complex64, complex128:
		text := strings.Trim(fmt.Sprint(x), "()")
		if strings.ContainsAny(text, "NIi") {
			return `"` + strings.Replace(text, "Inf", "Infinity", 1) + `"`
		}
		return text
	case interface{ Float32() float32 }:
		return element(reflect.ValueOf(x.Float32()))
	default:
		return fmt.Sprint(x)
	}
}

// asCSV writes a matrix as CSV.
func asCSV(t *tensor.Tensor) []byte {
	var b []byte
	v := reflect.ValueOf(t.Data)
	for i := range t.Len() {
		if s := v.Index(i); s.Kind() == reflect.String {
			b = fmt.Appendf(b, "%q", s.String())
		} else {
			b = fmt.Append(b, s.Interface())
		}
		if (i+1)%t.Shape[1] == 0 {
			b = append(b, '\n')
		} else {
			b = append(b, ',')
		}
	}
	return b
}
