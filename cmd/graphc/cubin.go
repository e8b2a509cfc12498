package main

import (
	"github.com/spf13/pflag"

	"github.com/graphc/graphc/internal/tool/build"
)

// registerCubin defines the flags for machine code.
func registerCubin(f *build.CubinFlags, fl *pflag.FlagSet) {
	fl.StringSliceVar(&f.Processors, "cubin", nil, "also embed machine code for these processors, which spares the driver compiling PTX at the start; without a list for "+build.DefaultCubins)
	fl.Lookup("cubin").NoOptDefVal = build.DefaultCubins
	fl.StringVar(&f.Ptxas, "ptxas", "", "assembler for --cubin (that of $GRAPHC_PTXAS, of PATH or of an installed CUDA toolkit when not given)")
}
