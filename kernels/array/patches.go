package array

// PatchParams describes windows over planes, rows and columns of a tensor [Batch, In…, Channels].
// Along an axis, window o covers Kernel positions that begin at o·Stride - Pad and are Rate apart.
// The result is [Batch, Out…, Π Kernel · Channels].
type PatchParams struct {
	Batch, Channels                    int
	In, Out, Kernel, Stride, Rate, Pad [3]int
}

func patches[T any](dst, src []T, p PatchParams) {
	if p.Channels <= 0 || len(dst) == 0 {
		return
	}
	ch := p.Channels
	volume := p.In[0] * p.In[1] * p.In[2] * ch
	for n := range p.Batch {
		image := src[n*volume:][:volume]
		for oz := range p.Out[0] {
			for oy := range p.Out[1] {
				for ox := range p.Out[2] {
					dst = window(dst, image, &p, oz, oy, ox)
				}
			}
		}
	}
}

// place returns the position of element k of window o along an axis, and whether the position is
// inside the tensor.
func (p *PatchParams) place(axis, o, k int) (int, bool) {
	i := o*p.Stride[axis] - p.Pad[axis] + k*p.Rate[axis]
	return i, i >= 0 && i < p.In[axis]
}

// window writes one window to the beginning of dst and returns the rest of dst.
func window[T any](dst, image []T, p *PatchParams, oz, oy, ox int) []T {
	for kz := range p.Kernel[0] {
		z, inZ := p.place(0, oz, kz)
		for ky := range p.Kernel[1] {
			y, inY := p.place(1, oy, ky)
			for kx := range p.Kernel[2] {
				x, in := p.place(2, ox, kx)
				to := dst[:p.Channels]
				dst = dst[p.Channels:]
				if !in || !inY || !inZ {
					clear(to)
					continue
				}
				copy(to, image[((z*p.In[1]+y)*p.In[2]+x)*p.Channels:])
			}
		}
	}
	return dst
}
