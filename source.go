package graphc

import "io/fs"

// Sources returns the sources that standalone packages have copies of, by their paths in this module: those of the
// packages below rt and kernels, and of what programs that check and time emitted packages import besides them, with
// go.sum, which has the sums of what programs for GPUs import. It is for tools that build what is emitted.
func Sources() fs.FS { return sources }
