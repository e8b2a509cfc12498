package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/build"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/internal/tool/tune"
)

func newBuild(a *base.App) *cobra.Command {
	var f flags.Model
	var s build.Package
	var exe, tuneFeeds string
	var tuneTime time.Duration
	c := &cobra.Command{
		Use:   "build [flags] MODEL… -o DIR",
		Short: "Compile a model to a Go package, a program or an executable",
		Long: `build compiles a model (see "graphc help models") and writes a Go package into
the folder -o, or with --main a program. --exe builds a static executable with
the go command; then -o may be left out.

--tune FEEDS.npz first measures which convolutions Winograd's method computes faster
than direct sums, on this machine, with these feeds and one thread. It builds with
the fastest methods, and writes them to graphc.yaml if that lists the model.

--cubin runs ptxas to compile the kernels of a program for NVIDIA's GPUs to machine
code. Otherwise the driver compiles their PTX when the program first starts. PTX is
embedded as well, for other processors.

Files in the folder are replaced or removed only if graphc wrote them; all
files are written, or none.`,
		Args: minArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			s.Paths = args
			if s.Spec, err = f.Spec(); err != nil {
				return err
			}
			if tuneFeeds != "" && len(s.Opts.Devices) > 1 {
				return base.Usagef("--tune measures on one device, but --devices names several")
			}
			if tuneFeeds != "" {
				if err := tune.Model(c.Context(), a, &s.Spec, args, tuneFeeds, tuneTime); err != nil {
					return err
				}
			}
			if exe != "" {
				return build.Exe(f.Devices.ForGPUs(c.Context(), "cuda"), a, s, exe)
			}
			if s.Dir == "" {
				return base.Usagef("name a folder with -o DIR, or an executable with --exe FILE")
			}
			return build.Write(c.Context(), a, s)
		},
	}
	fl := c.Flags()
	f.Register(fl)
	fl.StringVarP(&s.Dir, "output", "o", "", "folder of the package")
	fl.StringVar(&s.Pkg, "pkg", "", "name of the package (default: the folder's name)")
	fl.BoolVar(&s.Main, "main", false, "write a program instead of a package")
	fl.BoolVar(&s.Example, "example", false, "also write a test file with an example that uses the package")
	fl.StringVar(&exe, "exe", "", "build a static executable of this name")
	fl.StringVar(&s.Runtime, "runtime", "auto", "auto, import or standalone; see \"graphc help runtime\"")
	fl.StringSliceVar(&s.Processors, "arch", nil, "processors whose assembly a standalone package contains, amd64 or arm64; others run Go code (default: all)")
	fl.Bool("standalone", false, "the same as --runtime standalone")
	fl.BoolVar(&s.OmitVersion, "omit-version", false, "omit graphc's version from the files")
	fl.StringVar(&tuneFeeds, "tune", "", "measure the methods of convolutions with the feeds in this .npz file")
	fl.DurationVar(&tuneTime, "tune-time", 10*time.Second, "how long --tune measures")
	fl.BoolVar(&s.Sidecar, "sidecar", false, "write the weights to a file beside the program instead of embedding them")
	registerCubin(&s.Cubin, fl)
	completeWith(c, "arch", graphc.Processors()...)
	completeWith(c, "runtime", "auto", "import", "standalone")
	c.PreRunE = func(*cobra.Command, []string) error {
		if alone, err := fl.GetBool("standalone"); err == nil && alone {
			s.Runtime = "standalone"
		}
		switch s.Runtime {
		case "auto", "import", "standalone":
			return nil
		}
		return base.Usagef("--runtime is %q, not auto, import or standalone", s.Runtime)
	}
	return c
}
