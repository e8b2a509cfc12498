//go:build unix

package bench

import (
	"os/exec"
	"syscall"
)

// killGroup makes cancellation of a command also terminate its child processes. A child process that
// runs graphc removes its temporary files before it ends.
func killGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }
}
