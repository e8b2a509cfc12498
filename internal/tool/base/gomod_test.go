package base

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestGoInterrupted cancels the context while the go command runs: the command gets an interrupt
// and cleans up.
func TestGoInterrupted(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the test puts a shell script in the place of the go command, and this machine has no sh")
	}
	dir := t.TempDir()
	temp, clean := filepath.Join(dir, "temp"), filepath.Join(dir, "clean")
	script := "#!/bin/sh\ntrap 'rm temp; touch clean; exit 1' INT\ntouch temp\nwhile :; do sleep 0.01; done\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		for range 1000 {
			if _, err := os.Stat(temp); err == nil {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	if err := GoRun(ctx, dir, true, "build"); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(clean); err != nil {
		t.Errorf("the go command was not interrupted: %v", err)
	}
	if _, err := os.Stat(temp); err == nil {
		t.Error("a temporary file is left")
	}
}

func TestGoMod(t *testing.T) {
	for text, want := range map[string]bool{
		"module x\n":                  false,
		"module " + ModulePath + "\n": true,
		"module x\nrequire " + ModulePath + " v1.0.0\n":               true,
		"module x\nrequire (\n\ta v1\n\t" + ModulePath + " v1\n)\n":   true,
		"module x\n// require " + ModulePath + " v1\n":                false,
		"module x\nreplace " + ModulePath + " => ../x\n":              false,
		"module x\nexclude (\n\t" + ModulePath + " v1\n)\n":           false,
		"module x\nrequire " + ModulePath + "x v1.0.0\n":              false,
		"module \"" + ModulePath + "\"\n":                             true,
		"module x\nrequire " + ModulePath + " v1.0.0 // indirect\r\n": true,
	} {
		if got := CanImportRuntime([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{".": "example.com/m", "a/b": "example.com/m/a/b"} {
		if got, err := ImportPath(filepath.Join(dir, in)); err != nil || got != want {
			t.Errorf("%s: %q, %v", in, got, err)
		}
	}
}
