// Package graphc holds the sources of the run time and of the kernels, for
// packages that are emitted with a copy of what they use, and those of the
// programs in which graphc checks and times what it emitted. The compiler is
// the command cmd/graphc.
package graphc

import "embed"

// Sources holds the folders rt and kernels, and what programs that check and
// time emitted packages import besides them, with the sums of what programs for GPUs do.
//
//go:embed rt kernels internal/cases internal/caserun go.sum
var Sources embed.FS
