package bmp

import (
	"encoding/binary"
	"fmt"
	"testing"
)

// assemble builds a picture of w × h pixels from the bytes 1, 2, 3, …
func assemble(w, h int32, bits uint16) string {
	row := (int(w)*int(bits)/8 + 3) / 4 * 4
	n := row * int(max(h, -h))
	le := binary.LittleEndian
	b := make([]byte, 54+n)
	copy(b, "BM")
	le.PutUint32(b[10:], 54)
	le.PutUint32(b[18:], uint32(w))
	le.PutUint32(b[22:], uint32(h))
	le.PutUint16(b[28:], bits)
	for i := range n {
		b[54+i] = byte(i + 1)
	}
	return string(b)
}

func decodeAll(data string, channels int) (string, error) {
	h, w, c, err := Size(data, channels)
	if err != nil {
		return "", err
	}
	px := make([]uint8, h*w*c)
	err = Decode(px, data, channels)
	return fmt.Sprint(h, w, c, px), err
}

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		data     string
		channels int
		want     string
	}{
		{assemble(1, 2, 24), 0, "2 1 3 [7 6 5 3 2 1]"},
		{assemble(1, -2, 24), 3, "2 1 3 [3 2 1 7 6 5]"},
		{assemble(1, -1, 24), 4, "1 1 4 [3 2 1 255]"},
		{assemble(1, 1, 32), 0, "1 1 4 [3 2 1 4]"},
		{assemble(1, 1, 32), 3, "1 1 3 [3 2 1]"},
		{assemble(2, 1, 8), 0, "1 2 1 [1 2]"},
		{assemble(1, 1, 8), 4, "1 1 4 [1 1 1 255]"},
	} {
		if got, err := decodeAll(c.data, c.channels); got != c.want || err != nil {
			t.Errorf("got %s %v, want %s", got, err, c.want)
		}
	}
	good := assemble(1, 1, 24)
	for name, data := range map[string]string{
		"empty": "", "cut": good[:31], "16 bits": assemble(1, 1, 16), "width 0": assemble(0, 1, 24), "width -1": assemble(-1, 1, 24), "height 0": assemble(1, 0, 24),
		"one byte less": good[:len(good)-1], "one byte more": good + "x", "large": good[:18] + "\xff\xff\xff\x7f\xff\xff\xff\x7f" + good[26:],
		"header of -1": good[:10] + "\xff\xff\xff\xff" + good[14:], "least height": good[:22] + "\x00\x00\x00\x80" + good[26:],
	} {
		if got, err := decodeAll(data, 0); err == nil {
			t.Errorf("%s: %s", name, got)
		}
		if err := Decode(nil, data, 0); err == nil {
			t.Errorf("%s: decoded", name)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(assemble(3, 2, 24), 0)
	f.Add(assemble(3, -2, 8), 4)
	f.Fuzz(func(t *testing.T, data string, channels int) {
		_, _ = decodeAll(data, []int{0, 3, 4}[uint(channels)%3])
	})
}
