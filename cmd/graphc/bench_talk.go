package main

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
)

// timed is a program under way that answers requests about its own speed.
type timed struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	talk  bytes.Buffer
	ready caserun.Ready
}

// startTimed starts a program of buildBench on a case, with more environment
// variables, and waits until it is ready.
func startTimed(ctx context.Context, exe, dir string, threads int, env ...string) (*timed, error) {
	t := &timed{cmd: exec.CommandContext(ctx, exe, dir, strconv.Itoa(threads))}
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
	if err := t.read(&t.ready); err != nil {
		return nil, t.end(err)
	}
	return t, nil
}

func (t *timed) read(reply any) error {
	data, err := t.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(data, reply)
}

// ask sends a request and reads its answer.
func (t *timed) ask(reply any, format string, args ...any) error {
	if _, err := fmt.Fprintf(t.in, format+"\n", args...); err != nil {
		return err
	}
	return t.read(reply)
}

// end ends the program. err is what went wrong before, or nil.
func (t *timed) end(err error) error {
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
