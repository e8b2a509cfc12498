package verify

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/graphc/graphc/internal/caserun"
)

// pool processes requests in child processes that run caserun.Serve. If a case crashes its process
// or hangs, the other cases are not affected.
type pool struct {
	command []string // a worker
	env     []string
	jobs    int
	timeout time.Duration // of one request
}

// run sends each request to one of the workers, and calls the function done with each reply. Calls
// of done do not overlap. When ctx is cancelled, the remaining requests get no reply.
func (p *pool) run(ctx context.Context, requests []caserun.Request, done func(caserun.Reply, time.Duration)) {
	queue := make(chan caserun.Request)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range min(p.jobs, len(requests)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var w *worker
			defer func() { w.stop() }()
			for q := range queue {
				start := time.Now()
				var reply caserun.Reply
				w, reply = p.ask(ctx, w, q)
				if ctx.Err() != nil {
					continue
				}
				mu.Lock()
				done(reply, time.Since(start))
				mu.Unlock()
			}
		}()
	}
feed:
	for _, q := range requests {
		select {
		case queue <- q:
		case <-ctx.Done():
			break feed
		}
	}
	close(queue)
	wg.Wait()
}

// ask sends one request to worker w, or to a new worker if w is nil. It returns the worker for the
// next request, or nil if this worker has ended.
func (p *pool) ask(ctx context.Context, w *worker, q caserun.Request) (*worker, caserun.Reply) {
	if w == nil {
		var err error
		if w, err = p.start(); err != nil {
			return nil, caserun.Verdict(q.Index, err)
		}
	}
	type answer struct {
		reply caserun.Reply
		err   error
	}
	ch := make(chan answer, 1)
	go func() {
		reply, err := w.ask(q)
		ch <- answer{reply, err}
	}()
	t := time.NewTimer(p.timeout)
	defer t.Stop()
	select {
	case a := <-ch:
		if a.err == nil {
			return w, a.reply
		}
		w.kill()
		return nil, caserun.Verdict(q.Index, fmt.Errorf("crashed: %s", w.tail()))
	case <-t.C:
		w.kill()
		<-ch
		return nil, caserun.Verdict(q.Index, fmt.Errorf("no answer after %v", p.timeout))
	case <-ctx.Done():
		w.kill()
		<-ch
		return nil, caserun.Reply{Index: q.Index}
	}
}

// worker is one child process.
type worker struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *tailBuffer
	once   sync.Once
	state  error
}

func (p *pool) start() (*worker, error) {
	w := &worker{cmd: exec.Command(p.command[0], p.command[1:]...), stderr: &tailBuffer{}}
	w.cmd.Env = append(w.cmd.Environ(), p.env...)
	w.cmd.Stderr = w.stderr
	var err error
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.out = bufio.NewReader(out)
	return w, w.cmd.Start()
}

func (w *worker) ask(q caserun.Request) (caserun.Reply, error) {
	var r caserun.Reply
	data, err := json.Marshal(q)
	if err != nil {
		return r, err
	}
	if _, err := w.in.Write(append(data, '\n')); err != nil {
		return r, err
	}
	line, err := w.out.ReadBytes('\n')
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(line, &r)
}

func (w *worker) wait() {
	w.once.Do(func() { w.state = w.cmd.Wait() })
}

func (w *worker) kill() {
	_ = w.cmd.Process.Kill() // an error means that the process has already ended
	w.wait()
}

// stop closes the input of a worker that processes no request, and waits until the worker has
// ended.
func (w *worker) stop() {
	if w != nil {
		_ = w.in.Close()
		w.wait()
	}
}

// tail returns the reason why a worker ended. This is the first line on standard error that reports
// a crash. If there is no such line, it is the exit status and the text on standard error.
func (w *worker) tail() string {
	text := w.stderr.String()
	for _, l := range strings.Split(text, "\n") {
		for _, sign := range []string{"panic:", "fatal error:", "runtime:", "SIG"} {
			if strings.HasPrefix(l, sign) {
				return l
			}
		}
	}
	if w.state != nil {
		return strings.TrimSpace(w.state.Error() + " " + text)
	}
	return "ended without an answer"
}

// tailBuffer is a writer that keeps only the beginning and the end of the text.
type tailBuffer struct {
	mu         sync.Mutex
	head, rest []byte
}

const tailSize = 4 << 10

func (b *tailBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(p)
	if room := tailSize - len(b.head); room > 0 {
		k := min(room, len(p))
		b.head = append(b.head, p[:k]...)
		p = p[k:]
	}
	b.rest = append(b.rest, p...)
	if len(b.rest) > 2*tailSize {
		b.rest = append(b.rest[:0], b.rest[len(b.rest)-tailSize:]...)
	}
	return n, nil
}

func (b *tailBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.head) + string(b.rest)
}
