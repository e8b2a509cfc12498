package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestGoInterrupted gives up while the go command runs: it gets an interrupt,
// upon which it cleans up.
func TestGoInterrupted(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell stands in for the go command")
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
	if err := goRun(ctx, dir, true, "build"); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(clean); err != nil {
		t.Errorf("the go command was not interrupted: %v", err)
	}
	if _, err := os.Stat(temp); err == nil {
		t.Error("a temporary file is left")
	}
}
