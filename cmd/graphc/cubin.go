package main

import (
	"github.com/spf13/pflag"

	"github.com/graphc/graphc/internal/tool/build"
)

// registerCubin defines the flags that control the machine code of GPU kernels.
func registerCubin(f *build.CubinFlags, fl *pflag.FlagSet) {
	fl.StringSliceVar(&f.Processors, "cubin", nil, "also embed machine code for these processors, so that the driver need not compile PTX at start-up; without a list: "+build.DefaultCubins)
	fl.Lookup("cubin").NoOptDefVal = build.DefaultCubins
	fl.StringVar(&f.Ptxas, "ptxas", "", "assembler for --cubin (default: $GRAPHC_PTXAS, or ptxas in PATH or in an installed CUDA toolkit)")
}
