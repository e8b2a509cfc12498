//go:build amd64 && !noasm

package image

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
)

//go:generate go run -C ../_gen ./image -pkg image -out ../image/image_amd64.s -stubs ../image/image_amd64.go

// args are the arguments of a kernel. The generator hard-codes the offsets.
type args struct {
	dst, top, bottom    unsafe.Pointer
	left, right, weight unsafe.Pointer
	pixels, blocks      int            // numbers of pixels, and of whole vectors of channels in a pixel
	rest                int            // number of channels in the last vector, which is masked
	mask                uint64         // AVX-512
	tab                 unsafe.Pointer // AVX2
	down                float32
}

// tails[8-n:] is a vector mask of n channels.
var tails = [16]int32{-1, -1, -1, -1, -1, -1, -1, -1}

// bilinearSIMD is bilinearGo in assembly. It returns false, and does nothing, if the machine
// lacks AVX2.
func bilinearSIMD(dst, top, bottom []float32, left, right []int32, weight []float32, wy float32, c int) bool {
	if !cpu.UseAVX2() {
		return false
	}
	lanes := 8
	wide := cpu.UseAVX512()
	if wide {
		lanes = 16
	}
	g := args{
		dst: unsafe.Pointer(&dst[0]), top: unsafe.Pointer(&top[0]), bottom: unsafe.Pointer(&bottom[0]),
		left: unsafe.Pointer(&left[0]), right: unsafe.Pointer(&right[0]), weight: unsafe.Pointer(&weight[0]),
		pixels: len(weight), blocks: c / lanes, rest: c % lanes, down: wy,
	}
	g.mask = 1<<g.rest - 1
	g.tab = unsafe.Pointer(&tails[8-g.rest%8])
	p := (*byte)(unsafe.Pointer(&g))
	if wide {
		bilinear512(p)
	} else {
		bilinear256(p)
	}
	return true
}
