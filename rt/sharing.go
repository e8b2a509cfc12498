package rt

// ChunkSize returns how many items each chunk of a loop has if the given number of threads share the
// loop. The parameter total is the number of items of the loop. The chunks are those of par.Bounds.
func ChunkSize(sp Split, total, threads int) int { return sp.chunk(total, threads) }

// Wakes reports whether a run wakes sleeping helpers if the loops and tasks of the run before it had
// the given work in picoseconds.
func Wakes(work int) bool { return work >= worthWaking }
