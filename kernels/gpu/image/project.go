package image

import "github.com/graphc/graphc/rt/device"

// ProjectParams describes projective transforms of in[N,H,W,C] to out[N,OH,OW,C].
type ProjectParams struct {
	N, H, W, C, OH, OW int
	Transforms         int // 1, or N: one an image
	Bilinear           bool
	Fill               int // outside of the image: 0 a value, 1 the image mirrored, 2 repeated, 3 its edge
}

func project(q *device.Queue, k *device.Kernel, out, in, transforms, fill device.Ptr, p *ProjectParams) {
	args := []uint64{uint64(out), uint64(in), uint64(transforms), uint64(fill)}
	for _, v := range [...]int{p.N, p.H, p.W, p.C, p.OH, p.OW} {
		args = append(args, uint64(v))
	}
	args = append(args, flag(p.Transforms != 1), flag(p.Bilinear), uint64(p.Fill))
	n := p.N * p.OH * p.OW * p.C
	q.Launch(k, device.Line(device.Blocks(n, 256, 32*q.Processors())), device.Line(256), 0, args...)
}

// ProjectF32 writes out[n,y,x] = in[n, (t3·x+t4·y+t5)/k, (t0·x+t1·y+t2)/k] with
// k = t6·x+t7·y+1, t being the image's transform of 8 float32. fill is the address of a
// float32, or 0 for zeros.
func ProjectF32(q *device.Queue, out, in, transforms, fill device.Ptr, p ProjectParams) {
	project(q, &projectF32, out, in, transforms, fill, &p)
}

// ProjectF64 is ProjectF32 for float64; what lies between pixels is computed in float32.
func ProjectF64(q *device.Queue, out, in, transforms, fill device.Ptr, p ProjectParams) {
	project(q, &projectF64, out, in, transforms, fill, &p)
}

// ProjectF16 is ProjectF32 for binary16.
func ProjectF16(q *device.Queue, out, in, transforms, fill device.Ptr, p ProjectParams) {
	project(q, &projectF16, out, in, transforms, fill, &p)
}

// ProjectU8 is ProjectF32 for uint8; fractions are cut off.
func ProjectU8(q *device.Queue, out, in, transforms, fill device.Ptr, p ProjectParams) {
	project(q, &projectU8, out, in, transforms, fill, &p)
}

// ProjectI32 is ProjectF32 for int32; fractions are cut off.
func ProjectI32(q *device.Queue, out, in, transforms, fill device.Ptr, p ProjectParams) {
	project(q, &projectI32, out, in, transforms, fill, &p)
}

// ProjectI64 is ProjectF32 for int64; fractions are cut off.
func ProjectI64(q *device.Queue, out, in, transforms, fill device.Ptr, p ProjectParams) {
	project(q, &projectI64, out, in, transforms, fill, &p)
}
