//go:build !unix

package goop

import (
	"io"
	"os"
	"os/exec"
)

// ownGroup does nothing where there are no process groups.
func ownGroup(*exec.Cmd) {}

// killGroup ends a command that has begun.
func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// pipes are the command's standard input and output, where it cannot be given others.
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
	cmd.Stdin, cmd.Stdout = inR, outW
	return inW, outR, func() { inR.Close(); outW.Close() }, nil
}
