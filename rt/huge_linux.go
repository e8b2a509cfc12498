package rt

import "syscall"

// adviseHuge asks the kernel to back b, which begins where a large page does, with
// large pages: runs then miss the translation caches less often.
func adviseHuge(b []byte) {
	const page = 4096
	_ = syscall.Madvise(b[:len(b)&^(page-1)], syscall.MADV_HUGEPAGE) // advice only: without it runs are somewhat slower
}
