package rt

import "syscall"

// adviseHuge advises the operating system to use large pages for b, so that runs have fewer TLB
// misses. b begins at a multiple of the large page size.
func adviseHuge(b []byte) {
	const page = 4096
	_ = syscall.Madvise(b[:len(b)&^(page-1)], syscall.MADV_HUGEPAGE) // only a hint: without it runs are somewhat slower
}
