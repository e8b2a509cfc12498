// Command overlay compiles models into the folder DIR, which must be new or empty. The models are
// those of the tests that import emitted packages. The command prints the flags with which go test
// finds these packages:
//
//	go test $(go run ./internal/emitted/overlay DIR) ./internal/hammer
//
// Further arguments, as in "overlay DIR cuda", are build tags besides "emitted".
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/graphc/graphc/internal/emitted"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "overlay:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("usage: overlay DIR [TAG…]")
	}
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return err
	}
	tool, err := exec.Command("go", "tool", "-n", "graphc").Output()
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	root := filepath.Dir(string(bytes.TrimSpace(mod)))
	r, err := emitted.Generate(root, string(bytes.TrimSpace(tool)), dir, emitted.Folders...)
	if err != nil {
		return err
	}
	flags, err := r.Flags(dir)
	if err != nil {
		return err
	}
	flags[0] = strings.Join(append([]string{flags[0]}, args[1:]...), ",")
	fmt.Println(strings.Join(flags, " "))
	return nil
}
