package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"github.com/graphc/graphc/kernels/gpu/_gen/ptx"
)

// processors lists the architectures for which all PTX must assemble.
var processors = []string{"sm_80", "sm_90"}

var spills = regexp.MustCompile(`([1-9]\d*) bytes spill`)

// assemble checks all generated PTX with the assembler ptxas. It assembles every kernel, and every
// fragment as a part of a small kernel. assemble returns an error if the assembler does, or if
// registers are spilled.
func assemble(program, root string) error {
	tmp, err := os.MkdirTemp("", "ptxas")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	files, err := filepath.Glob(filepath.Join(root, "kernels/gpu/*/ptx/*.ptx.gz"))
	if err != nil {
		return err
	}
	var all []string
	add := func(name, text string) error {
		all = append(all, filepath.Join(tmp, name))
		return os.WriteFile(all[len(all)-1], []byte(text), 0o666)
	}
	for _, f := range files {
		text, err := readPacked(f)
		if err != nil {
			return err
		}
		family := filepath.Base(filepath.Dir(filepath.Dir(f)))
		if err := add(family+"_"+strings.TrimSuffix(filepath.Base(f), ".gz"), text); err != nil {
			return err
		}
	}
	fragments, err := readPacked(filepath.Join(root, pieces))
	if err != nil {
		return err
	}
	table, err := os.ReadFile(filepath.Join(root, "plan/ptx/libdevice/table.gen.go"))
	if err != nil {
		return err
	}
	count := 0
	for _, piece := range strings.Split("\n"+fragments, "\n"+pieceMark)[1:] {
		name, text, _ := strings.Cut(piece, "\n")
		if err := add(name+".ptx", around(text, strings.HasSuffix(name, "_f64"), string(table))); err != nil {
			return err
		}
		count++
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
	fmt.Printf("%d entries and %d fragments assemble for %s without spills\n", len(files), count, strings.Join(processors, " and "))
	return nil
}

// readPacked returns the text of a compressed file.
func readPacked(name string) (string, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	text, err := unpack(b)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}

// one(program, file) runs the assembler program on the file, once for each architecture in
// processors. It returns an error if this fails or if registers are spilled.
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

// around returns a PTX module with one kernel, which applies a fragment to numbers in memory. The
// kernel's parameter is the address of these numbers. table is generated Go source that contains
// the declarations of the global variables that the fragment may use.
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
