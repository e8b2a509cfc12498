// Package graphc holds the sources of the run time and of the kernels, for
// packages that are emitted with a copy of what they use, and those of the
// programs in which graphc checks and times what it emitted. The compiler is
// the command cmd/graphc.
package graphc
