package pipeline

import (
	"strings"
	"testing"
)

// TestBatch: a plan for one device has a batch if its items are independent. Plans of several parts
// and plans without the optional passes have none.
func TestBatch(t *testing.T) {
	path := write(t, def(t, strings.Replace(xPlus1, "shape=[2]", "shape=[?,2]", 1)+"p Neg a @/device:CPU:1 T=f32\n"))
	o := Options{Feeds: []string{"x"}, Fetches: []string{"p"}, Shapes: map[string]string{"x": "B,2"}}
	for _, c := range []struct {
		name  string
		o     func(o *Options)
		batch bool
	}{
		{"one device", func(o *Options) { o.SoftPlacement = true }, true},
		{"no passes", func(o *Options) { o.SoftPlacement, o.NoOpt = true, true }, false},
		{"two devices", func(o *Options) { o.Devices = []string{"cpu:0", "cpu:1"} }, false},
		{"one size", func(o *Options) { o.SoftPlacement, o.Shapes = true, map[string]string{"x": "4,2"} }, false},
	} {
		o := o
		c.o(&o)
		p, err := Compile([]string{path}, o)
		if err != nil {
			t.Fatal(err)
		}
		whole := p.Signatures[0].Plan
		for _, q := range append(whole.Parts, whole) {
			if (q.Batch != "") != c.batch {
				t.Errorf("%s: the batch is %q:\n%v", c.name, q.Batch, q)
			}
		}
	}
}
