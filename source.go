package graphc

import "io/fs"

// Sources returns the sources that standalone packages copy, by their paths in this module. They
// are the packages below rt and kernels, and the other imports of programs that check and time
// emitted packages. The file go.sum has the sums for the imports of programs for GPUs. LICENSE,
// NOTICE and THIRD_PARTY_NOTICES are the licence. Sources is for tools that build emitted code.
func Sources() fs.FS { return sources }
