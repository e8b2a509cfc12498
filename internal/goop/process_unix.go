//go:build unix

package goop

import (
	"io"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes a command the leader of a new process group, which includes all processes it
// starts.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a started command and all processes of its group.
func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// pipes gives a command two extra file descriptors, 3 for requests and 4 for answers, so that the
// functions may use standard input and output. done closes the command's ends of the pipes in this
// process; call it after the command was started, or failed to start.
func pipes(cmd *exec.Cmd) (in io.WriteCloser, out io.ReadCloser, done func(), err error) {
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		inR.Close()
		inW.Close()
		return nil, nil, nil, err
	}
	cmd.ExtraFiles = []*os.File{inR, outW}
	return inW, outR, func() { inR.Close(); outW.Close() }, nil
}
