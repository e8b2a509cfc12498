//go:build unix

package bench

import (
	"os/exec"
	"syscall"
)

// killGroup makes a command's cancellation end what it started, too. A graphc
// among that removes its temporary files first.
func killGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }
}
