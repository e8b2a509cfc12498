package image

import (
	"fmt"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	cpu "github.com/graphc/graphc/kernels/image"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

func resizes() []ResizeParams {
	var all []ResizeParams
	for _, s := range [][6]int{{2, 5, 4, 3, 9, 11}, {1, 9, 9, 4, 4, 3}, {1, 1, 1, 2, 3, 3}, {1, 4, 5, 1, 4, 5}, {1, 3, 4, 16, 1, 7}, {0, 2, 2, 1, 3, 3}} {
		for mode := range 3 {
			all = append(all, ResizeParams{N: s[0], H: s[1], W: s[2], C: s[3], OH: s[4], OW: s[5], AlignCorners: mode == 1, HalfPixel: mode == 2})
		}
	}
	return all
}

func full(p ResizeParams) cpu.ResizeParams {
	return cpu.ResizeParams{N: p.N, H: p.H, W: p.W, C: p.C, OH: p.OH, OW: p.OW, AlignCorners: p.AlignCorners, HalfPixel: p.HalfPixel}
}

func wide(s []float32) []float64 {
	d := make([]float64, len(s))
	for i, v := range s {
		d[i] = float64(v)
	}
	return d
}

func narrow(s []float64) []float32 {
	d := make([]float32, len(s))
	for i, v := range s {
		d[i] = float32(v)
	}
	return d
}

func TestResize(t *testing.T) {
	for i, p := range resizes() {
		what, c := fmt.Sprintf("%+v ", p), full(p)
		in, out := p.N*p.H*p.W*p.C, p.N*p.OH*p.OW*p.C
		x := gputest.Floats[float32](uint64(i), in)
		h, b := gputest.F16(x), gputest.BF16(x)
		g := gputest.Floats[float32](uint64(i)+50, out)
		gh, gb := gputest.F16(g), gputest.BF16(g)
		r := gputest.New(t)
		px, pd, ph, pb, pg := gputest.Put(r, x), gputest.Put(r, wide(x)), gputest.Put(r, h), gputest.Put(r, b), gputest.Put(r, g)
		pgd, pgh, pgb := gputest.Put(r, wide(g)), gputest.Put(r, gh), gputest.Put(r, gb)
		var bi [4]device.Ptr
		for i := range bi {
			bi[i] = gputest.Room[float32](r, out)
		}
		near, bytes := gputest.Room[float32](r, out), gputest.Ints[uint8](7, in, 0, 256)
		n1, n8, n2 := gputest.Room[uint8](r, out), gputest.Room[float64](r, out), gputest.Room[tensor.F16](r, out)
		p1 := gputest.Put(r, bytes)
		ng, bg := gputest.Room[float32](r, in), gputest.Room[float32](r, in)
		ngd, bgd := gputest.Room[float64](r, in), gputest.Room[float64](r, in)
		ngh, bgh := gputest.Room[tensor.F16](r, in), gputest.Room[tensor.F16](r, in)
		ngb, bgb := gputest.Room[tensor.BF16](r, in), gputest.Room[tensor.BF16](r, in)
		r.Do(func(q *device.Queue) {
			BilinearF32(q, bi[0], px, p)
			BilinearF64(q, bi[1], pd, p)
			BilinearF16(q, bi[2], ph, p)
			BilinearBF16(q, bi[3], pb, p)
			Nearest4(q, near, px, p)
			Nearest1(q, n1, p1, p)
			Nearest8(q, n8, pd, p)
			Nearest2(q, n2, ph, p)
			NearestGradF32(q, ng, pg, p)
			BilinearGradF32(q, bg, pg, p)
			NearestGradF64(q, ngd, pgd, p)
			BilinearGradF64(q, bgd, pg, p)
			NearestGradF16(q, ngh, pgh, p)
			BilinearGradF16(q, bgh, pg, p)
			NearestGradBF16(q, ngb, pgb, p)
			BilinearGradBF16(q, bgb, pg, p)
		})
		index, weight := make([]int32, 2*p.OW), make([]float32, p.OW)
		cpu.BilinearColumns(index, weight, c)
		want := make([]float32, out)
		for i, src := range [][]float32{x, x, gputest.Wide(h), gputest.Wide(b)} {
			cpu.Bilinear(want, src, index, weight, c)
			gputest.Close(t, what+"bilinear", gputest.Get[float32](r, bi[i], out), want, 1e-6, 1)
		}
		cpu.NearestF32(want, x, c)
		gputest.Same(t, what+"nearest 4", gputest.Get[float32](r, near, out), want)
		gputest.Same(t, what+"nearest 8", gputest.Get[float64](r, n8, out), wide(want))
		cpu.NearestF32(want, gputest.Wide(h), c)
		gputest.Same(t, what+"nearest 2", gputest.Wide(gputest.Get[tensor.F16](r, n2, out)), want)
		small := make([]uint8, out)
		cpu.NearestU8(small, bytes, c)
		gputest.Same(t, what+"nearest 1", gputest.Get[uint8](r, n1, out), small)
		dx, dd := make([]float32, in), make([]float64, in)
		cpu.NearestGrad(dx, g, c)
		gputest.Close(t, what+"nearest grad", gputest.Get[float32](r, ng, in), dx, 1e-6, 4)
		cpu.NearestGradF64(dd, wide(g), c)
		gputest.Close(t, what+"nearest grad f64", gputest.Get[float64](r, ngd, in), dd, 1e-14, 4)
		cpu.NearestGrad(dx, gputest.Wide(gh), c)
		gputest.Close(t, what+"nearest grad f16", gputest.Wide(gputest.Get[tensor.F16](r, ngh, in)), dx, 0x1p-9, 4)
		cpu.NearestGrad(dx, gputest.Wide(gb), c)
		gputest.Close(t, what+"nearest grad bf16", gputest.Wide(gputest.Get[tensor.BF16](r, ngb, in)), dx, 0x1p-6, 4)
		cpu.BilinearGradF64(dd, g, c)
		gputest.Close(t, what+"bilinear grad f64", gputest.Get[float64](r, bgd, in), dd, 1e-6, 4)
		gputest.Close(t, what+"bilinear grad", gputest.Get[float32](r, bg, in), narrow(dd), 1e-6, 4)
		gputest.Close(t, what+"bilinear grad f16", gputest.Wide(gputest.Get[tensor.F16](r, bgh, in)), narrow(dd), 0x1p-9, 4)
		gputest.Close(t, what+"bilinear grad bf16", gputest.Wide(gputest.Get[tensor.BF16](r, bgb, in)), narrow(dd), 0x1p-6, 4)
	}
}

func TestCrop(t *testing.T) {
	boxes := []float32{0, 0, 1, 1, 0.2, 0.1, 0.7, 0.9, -0.5, 0.3, 0.6, 1.4, 1, 1, 0, 0}
	image := []int32{0, 1, 1, 0}
	for i, p := range []CropParams{{N: 2, H: 6, W: 7, C: 3, Boxes: 4, OH: 4, OW: 5, Outside: 0.5}, {N: 2, H: 6, W: 7, C: 2, Boxes: 4, OH: 3, OW: 2, Nearest: true, Outside: -1},
		{N: 2, H: 5, W: 5, C: 1, Boxes: 4, OH: 1, OW: 1}, {N: 2, H: 5, W: 5, C: 1, OH: 2, OW: 2}} {
		in, out := p.N*p.H*p.W*p.C, p.Boxes*p.OH*p.OW*p.C
		x, g := gputest.Floats[float32](uint64(i), in), gputest.Floats[float32](uint64(i)+9, out)
		h := gputest.F16(x)
		r := gputest.New(t)
		px, pd, ph, pg, pb, pi := gputest.Put(r, x), gputest.Put(r, wide(x)), gputest.Put(r, h), gputest.Put(r, g), gputest.Put(r, boxes), gputest.Put(r, image)
		var y [3]device.Ptr
		for i := range y {
			y[i] = gputest.Room[float32](r, out)
		}
		dx, dd, dh := gputest.Room[float32](r, in), gputest.Room[float64](r, in), gputest.Room[tensor.F16](r, in)
		r.Do(func(q *device.Queue) {
			CropF32(q, y[0], px, pb, pi, p)
			CropF64(q, y[1], pd, pb, pi, p)
			CropF16(q, y[2], ph, pb, pi, p)
			CropGradF32(q, dx, pg, pb, pi, p)
			CropGradF64(q, dd, pg, pb, pi, p)
			CropGradF16(q, dh, pg, pb, pi, p)
		})
		want := make([]float32, out)
		for i, src := range [][]float32{x, x, gputest.Wide(h)} {
			if err := cpu.Crop(want, src, boxes, image, cpu.CropParams(p)); err != nil {
				t.Fatal(err)
			}
			gputest.Close(t, fmt.Sprintf("%+v %d", p, i), gputest.Get[float32](r, y[i], out), want, 1e-6, 1)
		}
		back := make([]float64, in)
		if err := cpu.CropGradF64(back, g, boxes, image, cpu.CropParams(p)); err != nil {
			t.Fatal(err)
		}
		gputest.Close(t, fmt.Sprintf("%+v gradient f64", p), gputest.Get[float64](r, dd, in), back, 1e-6, 1)
		gputest.Close(t, fmt.Sprintf("%+v gradient", p), gputest.Get[float32](r, dx, in), narrow(back), 1e-6, 1)
		gputest.Close(t, fmt.Sprintf("%+v gradient f16", p), gputest.Wide(gputest.Get[tensor.F16](r, dh, in)), narrow(back), 0x1p-9, 1)
	}
	for i, p := range []CropParams{{N: 2, H: 6, W: 7, C: 3, Boxes: 4, OH: 4, OW: 5}, {N: 2, H: 5, W: 5, C: 1, Boxes: 4, OH: 1, OW: 1}, {N: 2, H: 5, W: 5, C: 1, OH: 2, OW: 2}} {
		x, g := gputest.Floats[float32](uint64(i), p.N*p.H*p.W*p.C), gputest.Floats[float32](uint64(i)+9, p.Boxes*p.OH*p.OW*p.C)
		h := gputest.F16(x)
		r := gputest.New(t)
		px, pd, ph, pg, pb, pi := gputest.Put(r, x), gputest.Put(r, wide(x)), gputest.Put(r, h), gputest.Put(r, g), gputest.Put(r, boxes), gputest.Put(r, image)
		var db [3]device.Ptr
		for i := range db {
			db[i] = gputest.Room[float32](r, 4*p.Boxes)
		}
		r.Do(func(q *device.Queue) {
			CropGradBoxesF32(q, db[0], pg, px, pb, pi, p)
			CropGradBoxesF64(q, db[1], pg, pd, pb, pi, p)
			CropGradBoxesF16(q, db[2], pg, ph, pb, pi, p)
		})
		want := make([]float32, 4*p.Boxes)
		for i, src := range [][]float32{x, x, gputest.Wide(h)} {
			if err := cpu.CropGradBoxes(want, g, src, boxes, image, cpu.CropParams(p)); err != nil {
				t.Fatal(err)
			}
			gputest.Close(t, fmt.Sprintf("%+v boxes %d", p, i), gputest.Get[float32](r, db[i], 4*p.Boxes), want, 2e-6, 8)
		}
	}
	// A box whose image index is out of range is filled with Outside.
	r := gputest.New(t)
	out, in, b, n := gputest.Room[float32](r, 1), gputest.Put(r, []float32{1}), gputest.Put(r, []float32{0, 0, 1, 1}), gputest.Put(r, []int32{3})
	r.Do(func(q *device.Queue) {
		CropF32(q, out, in, b, n, CropParams{N: 1, H: 1, W: 1, C: 1, Boxes: 1, OH: 1, OW: 1, Outside: 7})
	})
	gputest.Same(t, "no image", gputest.Get[float32](r, out, 1), []float32{7})
}
