package par

// Relax tells the processor that the thread spins. On processors without an instruction for that,
// it yields to other goroutines.
func Relax() { relax() }
