package plan

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

func onDevice(*device.Queue, device.Ptr, device.Ptr) {}
func onHost([]float32, []float32)                    {}

func TestHostFirst(t *testing.T) {
	p := &Plan{}
	buf := func(name string, place Place, d tensor.DType, n int) *Buf {
		b := &Buf{ID: len(p.Bufs), Name: name, Place: place, DType: d, Len: sym.Int(n)}
		p.Bufs = append(p.Bufs, b)
		return b
	}
	view := func(b *Buf, m Mode) View { return View{Buf: b, Len: b.Len, Mode: m} }
	raw := func(b *Buf, m Mode) View {
		a := &Buf{ID: len(p.Bufs), Name: b.Name, Place: b.Place, DType: tensor.Uint8, Len: b.Bytes(), Alias: b}
		p.Bufs = append(p.Bufs, a)
		return view(a, m)
	}
	x, y, z := buf("x", Arena, tensor.Float32, 4), buf("y", Arena, tensor.Float32, 4), buf("z", Arena, tensor.Float32, 4)
	a, b, c := buf("a", Device, tensor.Float32, 4), buf("b", Device, tensor.Float32, 4), buf("c", Device, tensor.Float32, 4)
	kernel := func(name string, dst, src *Buf) Step {
		return &Call{Node: name, Fn: onDevice, Args: []Arg{Queue{}, view(dst, Write), view(src, Read)}}
	}
	operand := func(name string, dst, src *Buf) Step {
		return &Call{Node: name, Fn: onDevice, Args: []Arg{Queue{}, view(dst, Write), Lit(struct{ A device.Ptr }{}, "A", view(src, Read))}}
	}
	host := func(name string, dst, src *Buf) Step {
		return &Call{Node: name, Fn: onHost, Args: []Arg{view(dst, Write), view(src, Read)}}
	}
	put := func(name string, dst, src *Buf) Step {
		return &Put{Node: name, Dst: view(dst, Write), Src: raw(src, Read)}
	}
	get := func(name string, dst, src *Buf) Step {
		return &Get{Node: name, Dst: raw(dst, Write), Src: view(src, Read)}
	}
	order := func(steps ...Step) string {
		p.Steps = steps
		p.HostFirst()
		var names []string
		Walk(p.Steps, func(_ int, s Step) {
			name, _ := NodeOf(s)
			names = append(names, name)
		})
		return strings.Join(names, " ")
	}
	for _, k := range []struct{ got, want string }{
		{order(put("p", a, x), kernel("k", b, a), host("h", z, y), kernel("l", c, b)), "h p k l"},
		{order(put("p", a, x), kernel("k", b, a), host("h", x, y)), "p h k"}, // the copy reads what the host step writes
		{order(kernel("k", b, a), get("g", y, b), host("h", z, y), kernel("l", c, b)), "k g h l"},
		{order(kernel("k", b, a), host("h", x, y), put("p", c, x)), "h p k"},
		{order(kernel("k", b, a), put("p", a, x)), "k p"}, // the kernel must read what the buffer contained before the copy
		{order(operand("k", b, a), put("p", a, x)), "k p"},
		{order(operand("k", b, a), put("p", c, x)), "p k"},
		{order(kernel("k", b, a), &Copy{Node: "m", Dst: view(c, Write), Src: view(b, Read)}, &Copy{Node: "n", Dst: view(z, Write), Src: view(y, Read)}), "n k m"},
		{order(kernel("k", b, a), &Loop{Node: "loop", Body: []Step{kernel("l", c, b), host("h", z, y)}}, host("i", z, y)), "k loop h l i"},
		{order(kernel("k", b, a), &Let{Node: "let", Names: []string{"n"}, X: []*sym.Expr{sym.One}}, host("h", z, y)), "k let h"},
	} {
		if k.got != k.want {
			t.Errorf("the order is %s, want %s", k.got, k.want)
		}
	}
}
