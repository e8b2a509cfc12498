//go:build unix

package goop

import (
	"io"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup has a command be a process group of its own, with all that it starts.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a command that has begun, and all that it has started.
func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// pipes gives a command two file descriptors of its own, 3 for what it is asked and 4 for
// what it answers: whatever the functions do with their standard input and output, it is
// not taken for either. done closes the command's ends when it has begun, or has not.
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
