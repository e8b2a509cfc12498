package par

// Relax tells the processor that a loop waits. Where there is no instruction for
// it, other goroutines go first.
func Relax() { relax() }
