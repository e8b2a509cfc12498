//go:build unix

package bench

import (
	"os/exec"
	"syscall"
)

// killGroup configures c so that cancelling its context also ends its child processes. A child
// process that runs graphc then removes its temporary files before it ends.
func killGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }
}
