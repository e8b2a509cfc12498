//go:build amd64 && !noasm

package conv

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
)

//go:generate go run -C ../_gen ./conv -pkg conv -out ../conv/depthwise_amd64.s -stubs ../conv/depthwise_amd64.go

// dwArgs are the arguments of a depthwise kernel in assembly. Distances are in bytes. The generator of
// the assembly hard-codes the offsets of the fields.
type dwArgs struct {
	dst, src, w, bias  unsafe.Pointer
	dstStep, srcStep   int // distances between output pixels, and between the windows of neighbouring pixels
	row, col           int // distances between rows and between columns of taps in the input
	wRow, wCol         int // distances between rows and between columns of taps in the filter
	rows               int // number of rows of taps
	lines              int // number of output rows; the kernel uses the field as its loop counter
	dstLine, srcLine   int // distances between output rows, and between the windows of neighbouring output rows
	lo, hi             float32
	mask               uint64         // used with AVX-512: one bit for each channel of the vector
	segs               unsafe.Pointer // dwSegments or dwGroups
	count              int
	rowsLeft, segsLeft int // the kernel's counters
	dstAt, srcAt       int // offsets at which the current row begins; the kernel advances them
	width              int // bytes of channels that one call computes; only for groups
	runsLeft           int // a counter of the kernel
}

// dwSegment is a segment with offsets in bytes.
type dwSegment struct {
	pixels, cols, src, w, dst int
}

// argsOf returns the arguments that are the same for all vectors of channels. segs points to count
// segments or groups.
func argsOf(s *strip, segs unsafe.Pointer, count int) dwArgs {
	const f = 4 // bytes of a float
	return dwArgs{
		dstStep: s.c * f, srcStep: s.step * f, row: s.row * f, col: s.col * f, wRow: s.wRow * f, wCol: s.c * f,
		rows: s.rows, dstLine: s.dstLine * f, srcLine: s.srcLine * f, lo: s.lo, hi: s.hi, segs: segs, count: count,
	}
}

// channels sets the arguments for the vectors of channels that begin with channel c, and returns the first
// channel after them. A vector has 16 channels if wide is set, else 8. The vectors have at most the given
// number of channels, but there is at least one. Only kernels for groups compute more than one in a call.
func (g *dwArgs) channels(c, most int, wide bool, out, in, filter, bias []float32, s *strip) int {
	lanes := 8
	if wide {
		lanes = 16
	}
	g.mask = 0xffff
	if left := s.c - c; left < lanes {
		if wide {
			g.mask = 1<<left - 1
		} else {
			c = s.c - lanes // the last vector overlaps the vector before it
		}
	}
	g.dst, g.src, g.w, g.lines = unsafe.Pointer(&out[c]), unsafe.Pointer(&in[c]), unsafe.Pointer(&filter[c]), s.lines
	g.dstAt, g.srcAt = 0, 0
	if len(bias) != 0 {
		g.bias = unsafe.Pointer(&bias[c])
	}
	n := max(min(s.c-c, most)/lanes, 1) * lanes
	g.width = n * 4 // bytes of a float
	return c + n
}

// stripSIMD computes a strip with vector instructions and reports whether it did. It returns false
// if the machine lacks them or the strip has too few channels.
func stripSIMD(out, in, filter, bias []float32, s *strip) bool {
	if !vectors(s.c) {
		return false
	}
	const f = 4 // bytes of a float
	var segs [len(s.segs)]dwSegment
	for i, g := range s.segs[:s.count] {
		segs[i] = dwSegment{g.pixels, g.cols, g.src * f, g.w * f, g.dst * f}
	}
	g, wide := argsOf(s, unsafe.Pointer(&segs[0]), s.count), cpu.UseAVX512()
	for c := 0; c < s.c; {
		c = g.channels(c, 1, wide, out, in, filter, bias, s)
		if wide {
			depthwise512((*byte)(unsafe.Pointer(&g)))
		} else {
			depthwise256((*byte)(unsafe.Pointer(&g)))
		}
	}
	return true
}

// vectors reports whether the kernels can compute c channels: AVX2 has no masks, so that c must fill a vector.
func vectors(c int) bool { return cpu.UseAVX512() || cpu.UseAVX2() && c >= 8 }

// dwGroup is a group with offsets in bytes. If edge is not nil, the group reads pixels outside of the
// image.
type dwGroup struct {
	count, src, dst int
	edge            *dwEdge
}

// dwEdge describes the pixels of an input row that a group reads and that may be outside of the image: the
// first KW/2 and the last KW/2. For a pixel outside of the image, the kernel reads a pixel inside of it, and
// sets all lanes to zero: even if no lane of a read is used, a read from an unmapped page takes hundreds of
// cycles.
type dwEdge struct {
	at    [4]int    // offset in bytes from the group's first pixel
	masks [4]uint32 // all ones inside of the image, 0 outside
}

// chunkChannels is the largest number of channels that one call of a kernel for groups computes. The
// channels of a pixel are adjacent in memory. A call for a single vector of channels would read only a
// part of each cache line. Also, the lines of neighbouring pixels would often compete for the same few
// sets of the first-level cache, because the distance between pixels is usually a multiple of a power
// of two. With many more channels than 64, this cache would no longer hold the input rows that two
// neighbouring output rows share.
const chunkChannels = 64

// groupsSIMD reports whether there are kernels for groups of c channels.
func groupsSIMD(c int) bool { return vectors(c) }

// groupStrip computes a strip that is split into groups.
func groupStrip(out, in, filter, bias []float32, s *strip) {
	const f = 4 // bytes of a float
	var groups [len(s.groups)]dwGroup
	var edges [len(s.groups)]dwEdge
	for i, g := range s.groups[:s.grouped] {
		groups[i] = dwGroup{count: g.count, src: g.src * f, dst: g.dst * f}
		if g.edge {
			e := &edges[i]
			half := s.wRow / s.c / 2
			for k := range 2 * half {
				x := k
				if k >= half {
					x += s.stride*(s.run-1) + 1
				}
				e.at[k] = min(max(x, g.from), g.to-1) * s.col * f
				if g.from <= x && x < g.to {
					e.masks[k] = 1<<32 - 1
				}
			}
			groups[i].edge = e
		}
	}
	g, wide := argsOf(s, unsafe.Pointer(&groups[0]), s.grouped), cpu.UseAVX512()
	for c := 0; c < s.c; {
		c = g.channels(c, chunkChannels, wide, out, in, filter, bias, s)
		p := (*byte)(unsafe.Pointer(&g))
		if wide {
			groups512(s, p)
		} else {
			groups256(s, p)
		}
	}
}

// groups512 and groups256 call the kernel for the strip's filter, stride and runs. They call it by name: the
// arguments of a function in a variable would be allocated.
func groups512(s *strip, p *byte) {
	switch three, one := s.wRow == 3*s.c, s.stride == 1; {
	case s.run == 7 && three && one:
		depthwise512k3s1x7(p)
	case s.run == 5 && three && one:
		depthwise512k3s1x5(p)
	case three && one:
		depthwise512k3s1x3(p)
	case s.run == 7 && three:
		depthwise512k3s2x7(p)
	case s.run == 5 && three:
		depthwise512k3s2x5(p)
	case three:
		depthwise512k3s2x3(p)
	case s.run == 7 && one:
		depthwise512k5s1x7(p)
	case s.run == 5 && one:
		depthwise512k5s1x5(p)
	case one:
		depthwise512k5s1x3(p)
	case s.run == 7:
		depthwise512k5s2x7(p)
	case s.run == 5:
		depthwise512k5s2x5(p)
	default:
		depthwise512k5s2x3(p)
	}
}

func groups256(s *strip, p *byte) {
	switch three, one := s.wRow == 3*s.c, s.stride == 1; {
	case s.run == 7 && three && one:
		depthwise256k3s1x7(p)
	case s.run == 5 && three && one:
		depthwise256k3s1x5(p)
	case three && one:
		depthwise256k3s1x3(p)
	case s.run == 7 && three:
		depthwise256k3s2x7(p)
	case s.run == 5 && three:
		depthwise256k3s2x5(p)
	case three:
		depthwise256k3s2x3(p)
	case s.run == 7 && one:
		depthwise256k5s1x7(p)
	case s.run == 5 && one:
		depthwise256k5s1x5(p)
	case one:
		depthwise256k5s1x3(p)
	case s.run == 7:
		depthwise256k5s2x7(p)
	case s.run == 5:
		depthwise256k5s2x5(p)
	default:
		depthwise256k5s2x3(p)
	}
}
