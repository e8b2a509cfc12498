package inflate

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

func zlibOf(s string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

func gzipOf(s string, h gzip.Header) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Header = h
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

// TestInflate compares with results of TensorFlow 2.21.
func TestInflate(t *testing.T) {
	text := strings.Repeat("hello world ", 20)
	z, g := zlibOf(text), gzipOf(text, gzip.Header{})
	rich := gzipOf("x", gzip.Header{Name: "name", Comment: "comment", Extra: []byte("extra")})
	cut := func(s string, n int) string { return s[:len(s)-n] }
	flip := func(s string, i int) string { return s[:i] + string(rune(s[i]^1)&0x7f) + s[i+1:] }
	for what, c := range map[string]struct {
		f    func(string, int) (string, error)
		in   string
		want string
		code tensor.Code
	}{
		"zlib":                  {Zlib, z, text, tensor.OK},
		"nothing":               {Zlib, "", "", tensor.OK},
		"one byte":              {Zlib, "x", "", tensor.OK},
		"zlib without its sum":  {Zlib, cut(z, 3), text, tensor.OK},
		"zlib with more behind": {Zlib, z + "junk", text, tensor.OK},
		"two of zlib":           {Zlib, z + z, text, tensor.OK},
		"a wrong sum":           {Zlib, cut(z, 1) + "\x00", "", tensor.DataLoss},
		"gzip for zlib":         {Zlib, g, "", tensor.DataLoss},
		"a dictionary":          {Zlib, "x\xbb" + z[2:], "", tensor.DataLoss},
		"a method":              {Zlib, "\x79\x9c", "", tensor.DataLoss},
		"another method":        {Zlib, "\x77\x85", "", tensor.DataLoss},
		"a window":              {Zlib, "\x88\x1c", "", tensor.DataLoss},
		"no blocks":             {Zlib, z[:2] + "\xff\xff", "", tensor.DataLoss},
		"gzip":                  {Gzip, g, text, tensor.OK},
		"two of gzip":           {Gzip, g + g, text + text, tensor.OK},
		"gzip with a name":      {Gzip, rich + rich, "xx", tensor.OK},
		"three bytes":           {Gzip, g[:3], "", tensor.OK},
		"a header cut":          {Gzip, g[:9], "", tensor.OK},
		"extra bytes cut":       {Gzip, rich[:11], "", tensor.OK},
		"a name cut":            {Gzip, rich[:20], "", tensor.OK},
		"extra bytes short":     {Gzip, rich[:14], "", tensor.OK},
		"gzip without its sum":  {Gzip, cut(g, 8), text, tensor.OK},
		"gzip with more behind": {Gzip, g + "junk", "", tensor.DataLoss},
		"zlib for gzip":         {Gzip, z, "", tensor.DataLoss},
		"flags":                 {Gzip, g[:3] + "\xe0" + g[4:], "", tensor.DataLoss},
		"a wrong gzip sum":      {Gzip, flip(cut(g, 4), len(g)-5) + g[len(g)-4:], "", tensor.DataLoss},
		"a wrong length":        {Gzip, cut(g, 1) + "\x07", "", tensor.DataLoss},
		"a header's sum":        {Gzip, "\x1f\x8b\x08\x02\x00\x00\x00\x00\x00\x00\x00\x00", "", tensor.DataLoss},
		"a header's sum cut":    {Gzip, "\x1f\x8b\x08\x02\x00\x00\x00\x00\x00\x00\x00", "", tensor.OK},
		"a header's right sum":  {Gzip, "\x1f\x8b\x08\x02\x00\x00\x00\x00\x00\x00" + headSum, "", tensor.OK},
		"a name without end":    {Gzip, "\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x00", "", tensor.OK},
	} {
		got, err := c.f(c.in, MaxBytes)
		if tensor.CodeOf(err) != c.code || got != c.want {
			t.Errorf("%s: %q, %v, want %v", what, got, err, c.code)
		}
	}
}

// headSum is the right checksum of the gzip header in the test case "a header's right sum".
const headSum = "\x1d\x26"

func TestInflateLimit(t *testing.T) {
	text := strings.Repeat("\x00", 3<<20)
	z, g := zlibOf(text), gzipOf(text, gzip.Header{})
	for _, n := range []int{3 << 20, 4 << 20} {
		if got, err := Zlib(z, n); got != text || err != nil {
			t.Errorf("%d bytes: %v", len(got), err)
		}
	}
	for _, n := range []int{0, 100, 2 << 20, 3<<20 - 1} {
		if _, err := Zlib(z, n); tensor.CodeOf(err) != tensor.ResourceExhausted {
			t.Errorf("at most %d: %v", n, err)
		}
		if _, err := Gzip(g, n); tensor.CodeOf(err) != tensor.ResourceExhausted {
			t.Errorf("at most %d: %v", n, err)
		}
	}
}

func FuzzInflate(f *testing.F) {
	f.Add(zlibOf("abc"))
	f.Add(gzipOf("abc", gzip.Header{Name: "n"}))
	f.Fuzz(func(t *testing.T, s string) {
		for _, fn := range []func(string, int) (string, error){Zlib, Gzip} {
			if out, err := fn(s, 1<<16); len(out) > 1<<16 || err != nil && out != "" {
				t.Errorf("%d bytes, %v", len(out), err)
			}
		}
	})
}
