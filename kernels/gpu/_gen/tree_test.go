package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// packed returns a gzip file with the given header.
func packed(t *testing.T, text string, h gzip.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Header = h
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPack checks that equal texts give equal bytes, that the header has neither a name nor a time,
// and that unpack returns the text.
func TestPack(t *testing.T) {
	text := strings.Repeat("add.f32 %f1, %f2, %f3;\n", 100)
	data := pack(text)
	if !bytes.Equal(data, pack(text)) {
		t.Error("two files of one text differ")
	}
	if got, err := unpack(data); got != text || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	for name, h := range map[string]gzip.Header{"name": {Name: "k.ptx"}, "comment": {Comment: "c"}, "extra": {Extra: []byte("e")}, "time": {ModTime: time.Unix(1e9, 0)}} {
		if _, err := unpack(packed(t, text, h)); err == nil {
			t.Errorf("a header with a %s is accepted", name)
		}
	}
	for name, data := range map[string][]byte{"text": []byte(text), "cut": data[:len(data)-1], "empty": nil} {
		if _, err := unpack(data); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestWriteGzip checks that a file that contains the text stays unchanged, however it was
// compressed. Other files are rewritten, or reported as errors if check is set.
func TestWriteGzip(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "k.ptx.gz")
	var fast bytes.Buffer
	z, err := gzip.NewWriterLevel(&fast, gzip.HuffmanOnly)
	if err != nil {
		t.Fatal(err)
	}
	z.Write([]byte("text\n"))
	z.Close()
	if err := os.WriteFile(file, fast.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, check := range []bool{true, false} {
		out := tree{root: dir, check: check}
		out.writeGzip("k.ptx.gz", "text\n")
		if got, _ := os.ReadFile(file); out.done() != nil || !bytes.Equal(got, fast.Bytes()) {
			t.Errorf("check %v: %v, or the file was written", check, out.done())
		}
		out.writeGzip("k.ptx.gz", "other\n")
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := unpack(got)
		if check && (out.done() == nil || text != "text\n") || !check && (out.done() != nil || text != "other\n") {
			t.Errorf("check %v: %v, %q", check, out.done(), text)
		}
	}
}
