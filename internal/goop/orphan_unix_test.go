//go:build unix

package goop_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// pidsFile names the environment variable with the path of a file. A Go function of the test writes
// two process IDs to this file: the ID of its process, and the ID of a process that it started.
const pidsFile = "GRAPHC_TEST_PIDS"

// TestCaller is the process that TestOrphan kills: it calls a function that does not end.
func TestCaller(t *testing.T) {
	if os.Getenv(pidsFile) == "" {
		t.Skip("it is started by TestOrphan")
	}
	s, graph := set(t)
	_, err := run(t, s, graph, "trouble:0")(12)
	t.Fatal(err)
}

// TestOrphan kills a process in the middle of a call: the helper and the processes that the
// function started end with it.
func TestOrphan(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pids")
	cmd := exec.Command(self, "-test.run=^TestCaller$", "-test.timeout=1m")
	cmd.Env = append(os.Environ(), pidsFile+"="+file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pids [2]int
	wait := func(what string, ready func() bool) {
		t.Helper()
		for end := time.Now().Add(50 * time.Second); !ready(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Error(what)
				return
			}
		}
	}
	wait("the function is not called", func() bool {
		text, err := os.ReadFile(file)
		n, _ := fmt.Sscan(string(text), &pids[0], &pids[1])
		return err == nil && n == 2
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the error says that it was killed
	for _, pid := range pids {
		wait(fmt.Sprintf("process %d goes on", pid), func() bool { return pid != 0 && gone(pid) })
	}
}

// gone reports whether a process has ended. It may remain as a zombie.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) == syscall.ESRCH {
		return true
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	var n int
	var name, state string
	_, err = fmt.Sscan(string(text), &n, &name, &state)
	return err == nil && state == "Z"
}
