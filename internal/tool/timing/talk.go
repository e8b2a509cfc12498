package timing

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strconv"

	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/tool/base"
)

// Program is a running program that answers requests about its speed.
type Program struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	talk  bytes.Buffer
	Ready caserun.Ready
}

// Start starts an executable that Build has built, for the case in dir and with the given number of
// threads. The parameter env has additional environment variables. Start returns when the program
// is ready.
func Start(ctx context.Context, exe, dir string, threads int, env ...string) (*Program, error) {
	base.Doing(ctx, "measure with "+base.Plural(threads, "thread"))
	return start(exec.CommandContext(ctx, exe, dir, strconv.Itoa(threads)), env)
}

// StartShared starts an executable like Start. The process may use the given number of processors at
// once, so that its model can be called by several goroutines. A run uses at most the given number
// of threads.
func StartShared(ctx context.Context, exe, dir string, threads, processors int) (*Program, error) {
	base.Doing(ctx, "start with "+base.Plural(threads, "thread"))
	return start(exec.CommandContext(ctx, exe, dir, strconv.Itoa(threads), strconv.Itoa(processors)), nil)
}

// start starts a command that runs a timed program, and waits until the program is ready.
func start(cmd *exec.Cmd, env []string) (*Program, error) {
	t := &Program{cmd: cmd}
	t.cmd.Env = append(t.cmd.Environ(), env...)
	t.cmd.Stderr = &t.talk
	var err error
	if t.in, err = t.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := t.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	t.out = bufio.NewReader(out)
	if err := t.cmd.Start(); err != nil {
		return nil, err
	}
	if err := t.read(&t.Ready); err != nil {
		return nil, t.End(err)
	}
	return t, nil
}

func (t *Program) read(reply any) error {
	data, err := t.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(data, reply)
}

// Ask sends a request to the program and stores the answer in *reply.
func (t *Program) Ask(reply any, format string, args ...any) error {
	if _, err := fmt.Fprintf(t.in, format+"\n", args...); err != nil {
		return err
	}
	return t.read(reply)
}

// End ends the program and returns an error if the program fails. The parameter err is an error
// that has occurred before, or nil.
func (t *Program) End(err error) error {
	if e := t.in.Close(); err == nil {
		err = e
	}
	if e := t.cmd.Wait(); err == nil || e != nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("the timed program: %w: %s", err, t.talk.Bytes())
	}
	return nil
}
