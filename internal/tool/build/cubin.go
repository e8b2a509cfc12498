package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/rt/device"
)

// CubinFlags are the flags for the GPU machine code of a program. For each listed GPU processor,
// the program contains machine code in addition to PTX.
type CubinFlags struct {
	Processors []string // sm_80
	Ptxas      string
}

// DefaultCubins are the GPU processors that --cubin selects if the flag has no value.
const DefaultCubins = "sm_80,sm_90"

// processor is the name of an NVIDIA GPU architecture, such as sm_90, with its compute capability.
type processor struct {
	name         string
	major, minor int
}

// processorsOf converts names such as sm_90 to processors. It drops repeated names.
func processorsOf(names []string) ([]processor, error) {
	var out []processor
	seen := map[string]bool{}
	for _, name := range names {
		digits, ok := strings.CutPrefix(name, "sm_")
		n, err := strconv.Atoi(digits)
		if !ok || err != nil || n < 80 || n > 999 || digits != strconv.Itoa(n) {
			return nil, base.Usagef("--cubin: %q: want a processor from sm_80 on, such as %s", name, DefaultCubins)
		}
		if !seen[name] {
			out = append(out, processor{name, n / 10, n % 10})
		}
		seen[name] = true
	}
	return out, nil
}

// ptxasPath returns the absolute path of ptxas, NVIDIA's assembler.
func (f *CubinFlags) ptxasPath() (string, error) {
	given := cmp.Or(f.Ptxas, os.Getenv("GRAPHC_PTXAS"))
	if given != "" {
		p, err := exec.LookPath(given)
		if err != nil {
			return "", fmt.Errorf("--cubin: the assembler of PTX: %w", err)
		}
		return filepath.Abs(p) // the path must be absolute, because assembleOne runs ptxas in another folder
	}
	toolkit := filepath.Join(cmp.Or(os.Getenv("CUDA_HOME"), "/usr/local/cuda"), "bin")
	for _, name := range []string{"ptxas", filepath.Join(toolkit, "ptxas")} {
		if p, err := exec.LookPath(name); err == nil {
			return filepath.Abs(p)
		}
	}
	return "", fmt.Errorf(`--cubin needs ptxas, the assembler of PTX, which is neither in PATH nor in %s
  It is part of the CUDA toolkit, and of the wheel nvidia-cuda-nvcc-cu12:
    pip download --no-deps nvidia-cuda-nvcc-cu12 && unzip nvidia_cuda_nvcc_cu12-*.whl
  Name it, as nvidia/cuda_nvcc/bin/ptxas, with --ptxas FILE or in GRAPHC_PTXAS`, toolkit)
}

// apply sets o.Assemble if the flags list processors, so that the emitted package contains machine
// code for these processors.
func (f *CubinFlags) apply(o *graphc.EmitOptions, p *graphc.Program) error {
	if len(f.Processors) == 0 {
		return nil
	}
	list, err := processorsOf(f.Processors)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(p.Devices(), func(d string) bool { return device.TypeOf(d) == "GPU" }) {
		return base.Usagef("--cubin is for programs on GPUs, but no node is placed on a GPU: see --devices")
	}
	if o.Standalone {
		return base.Usagef("--cubin is for programs built with CUDA, but a standalone package has only simulated GPUs: use --runtime import")
	}
	ptxas, err := f.ptxasPath()
	if err != nil {
		return err
	}
	o.Assemble = func(ctx context.Context, texts []graphc.PTX) ([][]graphc.MachineCode, error) {
		return assemble(ctx, ptxas, texts, list)
	}
	return nil
}

// assemble runs ptxas on each PTX text for each processor in list. The result is indexed like
// texts.
func assemble(ctx context.Context, ptxas string, texts []graphc.PTX, list []processor) ([][]graphc.MachineCode, error) {
	dir, err := os.MkdirTemp("", "graphc-cubin-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := make([][]graphc.MachineCode, len(texts))
	errs := make([]error, len(texts))
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i, t := range texts {
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			out[i], errs[i] = assembleOne(ctx, ptxas, filepath.Join(dir, strconv.Itoa(i)), t, list)
		})
	}
	wg.Wait()
	return out, errors.Join(errs...)
}

// assembleOne runs ptxas on one PTX text for each processor in list. The paths of its temporary
// files begin with base.
func assembleOne(ctx context.Context, ptxas, base string, t graphc.PTX, list []processor) ([]graphc.MachineCode, error) {
	in, made := base+".ptx", base+".cubin"
	if err := os.WriteFile(in, []byte(t.Text), 0o666); err != nil {
		return nil, err
	}
	var out []graphc.MachineCode
	for _, p := range list {
		c := exec.CommandContext(ctx, ptxas, "-arch="+p.name, "-o", filepath.Base(made), filepath.Base(in))
		// Run ptxas in the folder of its files, so that their names can be given without the
		// folder: ptxas may copy the names into its output.
		c.Dir = filepath.Dir(base)
		talk, err := c.CombinedOutput()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: ptxas for %s: %w\n%s", t.Name, p.name, err, talk)
		}
		code, err := os.ReadFile(made)
		if err != nil {
			return nil, fmt.Errorf("%s: ptxas for %s wrote no output: %w", t.Name, p.name, err)
		}
		out = append(out, graphc.MachineCode{Major: p.major, Minor: p.minor, Code: code})
	}
	return out, nil
}
