// Package graphc holds the sources of the run time and of the kernels, for
// packages that are emitted with a copy of what they use. The compiler is the
// command cmd/graphc.
package graphc

import "embed"

// Sources holds the folders rt and kernels.
//
//go:embed rt kernels
var Sources embed.FS
