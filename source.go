package graphc

import "io/fs"

// Sources returns those files of this module from which standalone packages copy their run time and
// kernels. It is for tools that build emitted code. The files have the same paths as in this module:
//
//   - the packages below rt and kernels
//   - further packages that programs for checking and timing emitted packages import
//   - go.sum, with the checksums of the modules that programs for GPUs import
//   - LICENSE, NOTICE and THIRD_PARTY_NOTICES, which form the licence
func Sources() fs.FS { return sources }
