//go:build !unix

package goop

import (
	"io"
	"os"
	"os/exec"
)

// ownGroup does nothing, since there are no process groups.
func ownGroup(*exec.Cmd) {}

// killGroup kills a started command.
func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// pipes connects the standard input and output of the command to pipes. On this system, a command
// cannot inherit other files.
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
