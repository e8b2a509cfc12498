package packed

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

func pack(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	return b.String()
}

func TestText(t *testing.T) {
	text := strings.Repeat(".version 8.0\n", 100)
	data := pack(text)
	for name, m := range map[string]*device.Module{"plain": {PTX: &text}, "compressed": {Gzip: &data}, "both": {PTX: &text, Gzip: &text}} {
		if got, err := Text(m); got != text || err != nil {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	for _, m := range []*device.Module{nil, {}} {
		if got, err := Text(m); got != "" || err != nil {
			t.Errorf("%v: %q, %v", m, got, err)
		}
	}
}

// TestDamaged checks that Unpack returns DataLoss for data that is truncated, changed or too long.
func TestDamaged(t *testing.T) {
	good := pack(strings.Repeat(".version 8.0\n", 100))
	flipped := []byte(good)
	flipped[len(flipped)-6] ^= 1 // part of the checksum
	for name, data := range map[string]string{
		"empty": "", "text": ".version 8.0\n", "header only": good[:10], "cut": good[:len(good)/2], "no checksum": good[:len(good)-8],
		"another checksum": string(flipped), "more behind": good + "x", "much": pack(strings.Repeat("0", MaxBytes+1)),
	} {
		if got, err := Unpack(data); got != "" || tensor.CodeOf(err) != tensor.DataLoss {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	if got, err := Unpack(pack(strings.Repeat("0", MaxBytes))); len(got) != MaxBytes || err != nil {
		t.Errorf("as much as is allowed: %d bytes, %v", len(got), err)
	}
}
