// Package schedule predicts how long a run takes with more threads than were measured. It simulates
// how the threads of package rt/par claim the chunks of loops, and how those of package rt take
// tasks. The times of chunks and steps come from a program that measured them on one thread
// (caserun.Schedule). The costs of sharing work are measured on this machine (Measure).
//
// The simulation assumes that a chunk takes as long beside other threads as it takes alone: that
// memory is fast enough for all threads, that a chunk finds its operands in the caches as it does on
// one thread, and that the processor does not lower its clock.
package schedule
