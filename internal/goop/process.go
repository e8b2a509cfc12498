package goop

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// helper is a running program that calls the functions. It ends when its pipe for requests is
// closed, and therefore also when this process ends.
type helper struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	enc    *gob.Encoder
	dec    *gob.Decoder
	answer bounded // the reader of dec, which limits the size of an answer
	stderr lockedBuffer
	ended  chan struct{}
}

// lockedBuffer copies the text written to it to os.Stderr, and keeps the last maxKept bytes.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

const maxKept = 4 << 10

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	os.Stderr.Write(p)
	l.b.Write(p[max(0, len(p)-maxKept):])
	l.b.Next(max(0, l.b.Len()-maxKept))
	return len(p), nil
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(l.b.String())
}

// bounded is a reader with a limit. The field left is the number of bytes that may still be read.
// When it is 0, a read returns an error.
type bounded struct {
	r    io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("its answer is longer than what the function can have written")
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// lock waits until no other call uses the set, or ctx is done.
func (s *Set) lock(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Set) unlock() { <-s.turn }

// start returns a running helper that can make all calls. If the running helper cannot, start
// builds and starts a new one. Variables of the user's functions then lose their values.
func (s *Set) start(ctx context.Context) (*helper, error) {
	if s.helper != nil && s.built == len(s.calls) {
		return s.helper, nil
	}
	s.stop()
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "graphc-go-ops-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // the program runs on after its file is deleted
	bin, err := s.build(ctx, s.calls, dir)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, tensor.Errorf(tensor.FailedPrecondition, "%v", err)
	}
	h := &helper{cmd: exec.Command(bin), ended: make(chan struct{})}
	h.cmd.Stdout, h.cmd.Stderr = &h.stderr, &h.stderr // the call of pipes below may replace Stdout
	h.cmd.WaitDelay = time.Second
	ownGroup(h.cmd)
	in, out, done, err := pipes(h.cmd)
	if err != nil {
		return nil, err
	}
	err = h.cmd.Start()
	done()
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	go func() {
		_ = h.cmd.Wait() // the error may say that the helper was killed
		close(h.ended)
	}()
	h.in, h.out, h.answer.r = in, out, out
	h.enc, h.dec = gob.NewEncoder(in), gob.NewDecoder(&h.answer)
	s.helper, s.built = h, len(s.calls)
	return h, nil
}

// kill ends the helper at once, and unblocks a call that waits for an answer.
func (h *helper) kill() {
	select {
	case <-h.ended: // do not kill, since another process may have the ID by now
	default:
		_ = killGroup(h.cmd) // an error means that the helper has just ended
	}
	h.in.Close()
	h.out.Close()
}

// stop makes the helper end, and returns after it has ended.
func (s *Set) stop() {
	h := s.helper
	if h == nil {
		return
	}
	s.helper = nil
	h.in.Close()
	select {
	case <-h.ended:
	case <-time.After(time.Second):
	}
	h.kill()
	<-h.ended
}

// Close ends the program that calls the functions, if one was started.
func (s *Set) Close() {
	if s == nil {
		return
	}
	_ = s.lock(context.Background()) // context.Background is never done, so lock does not fail
	defer s.unlock()
	s.stop()
}

// answer is the first part of the helper's answer to a call. The sizes and the outputs follow.
type answer struct {
	Failed bool
	Text   string
	Panic  bool
	// Changed is the number, counted from 1, of an argument that the function has modified although
	// it must not. It is 0 if the function has modified no such argument.
	Changed int
}

// caller returns a function that calls function k in the helper.
func (s *Set) caller(k int, f *plan.Foreign) func(context.Context, []reflect.Value) []reflect.Value {
	return func(ctx context.Context, args []reflect.Value) []reflect.Value {
		rets := make([]reflect.Value, f.Type.NumOut())
		for i := range rets {
			rets[i] = reflect.New(f.Type.Out(i)).Elem()
		}
		if err := s.call(ctx, k, f, args, rets); err != nil {
			rets[len(rets)-1].Set(reflect.ValueOf(&err).Elem())
		}
		return rets
	}
}

// call calls function k, and kills the helper if ctx ends before the function.
func (s *Set) call(ctx context.Context, k int, f *plan.Foreign, args, rets []reflect.Value) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	h, err := s.start(ctx)
	if err != nil {
		return err
	}
	leave := context.AfterFunc(ctx, h.kill)
	broken, err := h.call(k, f, args, rets)
	if !leave() { // the helper has been killed, or will be killed at once
		s.stop()
		return ctx.Err()
	}
	if !broken {
		return err
	}
	s.stop()
	if text := h.stderr.String(); text != "" {
		err = fmt.Errorf("%w; it wrote:\n%s", err, text)
	}
	return err
}

// Maximum sizes in bytes of the parts of an answer, apart from the numbers that the function
// writes.
const (
	maxAnswer  = 64 << 10
	maxStrings = 512 << 20
	gobNumber  = 10 // maximum size in bytes of a real number; a complex number has two
)

// call sends the function's number, its arguments, and the lengths of its outputs to the helper. It
// receives an answer, the sizes and the outputs. The result broken reports whether the helper
// cannot be used any more.
func (h *helper) call(k int, f *plan.Foreign, args, rets []reflect.Value) (broken bool, err error) {
	lost := func(err error) (bool, error) {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrClosed) {
			return true, tensor.Errorf(tensor.Internal, "the program that calls the Go functions has ended")
		}
		return true, tensor.Errorf(tensor.Internal, "the program that calls the Go functions: %v", err)
	}
	h.answer.left = maxAnswer
	if err := h.enc.Encode(k); err != nil {
		return lost(err)
	}
	for i, a := range args {
		if i < 2*f.Outs && i%2 == 0 {
			h.answer.left += 2 * gobNumber * a.Len()
			if a.Type().Elem().Kind() == reflect.String {
				h.answer.left += maxStrings
			}
			a = reflect.ValueOf(a.Len())
		}
		if err := h.enc.EncodeValue(a); err != nil {
			return lost(err)
		}
	}
	var ans answer
	if err := h.dec.Decode(&ans); err != nil {
		return lost(err)
	}
	for i := range len(rets) - 1 {
		if err := h.dec.DecodeValue(rets[i].Addr()); err != nil {
			return lost(err)
		}
	}
	for i := 0; i < 2*f.Outs; i += 2 {
		got := reflect.New(args[i].Type())
		if err := h.dec.DecodeValue(got); err != nil {
			return lost(err)
		}
		reflect.Copy(args[i], got.Elem())
	}
	switch {
	case ans.Panic:
		return false, tensor.Errorf(tensor.Internal, "%s.%s panicked: %s", f.Path, f.Name, tensor.Clip(ans.Text))
	case ans.Failed:
		return false, failure(tensor.Clip(ans.Text))
	case ans.Changed > 0:
		return false, tensor.Errorf(tensor.Internal, "%s.%s modified its argument %d: it may write only the elements of its outputs", f.Path, f.Name, ans.Changed)
	}
	return false, nil
}

// failure converts the text of a function's error to an error. If the text begins with the name of
// an error code, as the text of an error from tensor.Errorf does, the result has this code.
func failure(text string) error {
	for c := tensor.Cancelled; c <= tensor.Unauthenticated; c++ {
		if rest, ok := strings.CutPrefix(text, c.String()+": "); ok {
			return tensor.Errorf(c, "%s", rest)
		}
	}
	return errors.New(text)
}
