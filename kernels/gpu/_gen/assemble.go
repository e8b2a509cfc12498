package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/graphc/graphc/kernels/gpu/_gen/ptx"
)

// processors are what all PTX must assemble for.
var processors = []string{"sm_80", "sm_90"}

var spills = regexp.MustCompile(`([1-9]\d*) bytes spill`)

// assemble has ptxas assemble every entry, and every fragment in an entry of its own,
// and refuses registers that are spilled.
func assemble(program, root string) error {
	tmp, err := os.MkdirTemp("", "ptxas")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	files, err := filepath.Glob(filepath.Join(root, "kernels/gpu/*/ptx/*.ptx"))
	if err != nil {
		return err
	}
	all := slices.Clone(files)
	pieces, err := filepath.Glob(filepath.Join(root, "codegen/ptx/libdevice/ptx/*.ptx"))
	if err != nil {
		return err
	}
	table, err := os.ReadFile(filepath.Join(root, "codegen/ptx/libdevice/table.gen.go"))
	if err != nil {
		return err
	}
	for _, f := range pieces {
		b, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		whole := filepath.Join(tmp, filepath.Base(f))
		if err := os.WriteFile(whole, []byte(around(string(b), strings.HasSuffix(f, "_f64.ptx"), string(table))), 0o666); err != nil {
			return err
		}
		all = append(all, whole)
	}
	errs, room := make([]error, len(all)), make(chan bool, runtime.NumCPU())
	var wait sync.WaitGroup
	for i, f := range all {
		room <- true
		wait.Go(func() {
			errs[i] = one(program, f)
			<-room
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	fmt.Printf("%d entries and %d fragments assemble for %s without spills\n", len(files), len(pieces), strings.Join(processors, " and "))
	return nil
}

// one assembles a file for each processor.
func one(program, file string) error {
	for _, p := range processors {
		out, err := exec.Command(program, "-v", "-arch="+p, "-o", os.DevNull, file).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s for %s: %v\n%s", file, p, err, out)
		}
		if spills.Match(out) {
			return fmt.Errorf("%s for %s: %s", file, p, out)
		}
	}
	return nil
}

var declared = regexp.MustCompile(`"(\.global [^"]*)"`)

// around is an entry that applies a fragment to what its parameters point at.
func around(fragment string, wide bool, table string) string {
	t := "f32"
	if wide {
		t = "f64"
	}
	var b strings.Builder
	fmt.Fprintf(&b, ".version %s\n.target %s\n.address_size 64\n", ptx.Version, ptx.Target)
	for _, d := range declared.FindAllStringSubmatch(table, -1) {
		b.WriteString(d[1] + "\n")
	}
	fmt.Fprintf(&b, ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %%q;\n.reg .%s %%x, %%y, %%w, %%z;\nld.param.u64 %%q, [p];\n", t)
	for i, r := range []string{"x", "y", "w"} {
		fmt.Fprintf(&b, "ld.global.%s %%%s, [%%q+%d];\n", t, r, 8*i)
	}
	b.WriteString("{\n" + strings.NewReplacer("#=", "%z", "#0", "%x", "#1", "%y", "#2", "%w", "#", "m0").Replace(fragment) + "}\n")
	fmt.Fprintf(&b, "st.global.%s [%%q], %%z;\nret;\n}\n", t)
	return b.String()
}
