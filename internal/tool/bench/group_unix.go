//go:build unix

package bench

import (
	"os/exec"
	"syscall"
)

// killGroup makes cancellation of a command also end its child processes. If graphc is one of them,
// it removes its temporary files first.
func killGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }
}
