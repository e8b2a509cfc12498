//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/tool/base"
)

// TestSignals: SIGTERM and Ctrl-C end a command that waits for input that never comes.
func TestSignals(t *testing.T) {
	model := filepath.Join(t.TempDir(), "graph.pbtxt")
	if err := os.WriteFile(model, []byte(`node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }`+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		c := &exec.Cmd{Path: self, Args: []string{"graphc", "run", model, "--fetch", "x:0", "--feed", "x=-"}, Stderr: &stderr}
		in, err := c.StdinPipe() // nothing is written
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		// The first half of a value: the command waits for the rest.
		if _, err := io.WriteString(in, "[1,"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond) // until the command has installed its signal handlers
		if err := c.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			_ = c.Process.Kill()
			t.Fatalf("%v does not end it", sig)
		}
		if code := c.ProcessState.ExitCode(); code != base.ExitFailure && code != -1 || code == base.ExitFailure && !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("%v: exit status %d, %s", sig, code, stderr.String())
		}
	}
}
