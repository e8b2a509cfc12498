//go:build amd64 && !noasm

package roofline

import (
	"unsafe"

	xcpu "golang.org/x/sys/cpu"

	"github.com/graphc/graphc/rt/cpu"
)

//go:generate go run -C ../../kernels/_gen ./roofline -pkg roofline -out ../../internal/roofline/loops_amd64.s -stubs ../../internal/roofline/loops_amd64.go

// round is the number of multiply-add instructions in one iteration of each assembly loop.
const round = 48

// multiplyAdds runs a loop of float32 multiply-adds with the given number of rounds. It returns the
// number of floating-point operations, or 0 if there is no loop for the processor's instruction set.
func multiplyAdds(rounds int) int {
	switch {
	case cpu.UseAVX512():
		fma512(uintptr(rounds))
		return rounds * round * 16 * 2
	case cpu.UseAVX2():
		fma256(uintptr(rounds))
		return rounds * round * 8 * 2
	}
	return 0
}

// byteDots runs a loop that multiplies bytes and adds up the products, with the given number of
// rounds. It returns the number of operations, or 0 if there is no loop for the processor's
// instruction set.
func byteDots(rounds int) int {
	if !cpu.UseAVX512() || !xcpu.X86.HasAVX512VNNI {
		return 0
	}
	dot512(uintptr(rounds))
	return rounds * round * 64 * 2
}

// line is the number of bytes that one iteration of the reading loops reads.
const line = 512

// readAll reads b, whose length is a multiple of line.
func readAll(b []byte) {
	if len(b) < line {
		return
	}
	p, n := unsafe.SliceData(b), uintptr(len(b)/line)
	switch {
	case cpu.UseAVX512():
		read512(p, n)
	case cpu.UseAVX2():
		read256(p, n)
	default:
		readPlain(b)
	}
}
