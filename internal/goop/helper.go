package goop

import (
	"bufio"
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"

	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// folder is where the helper's source seems to lie, in the user's module. The go
// command is told so by an overlay; nothing is written there.
const folder = "graphc-go-ops"

// build compiles a program that calls the functions. What the compiler complains
// of is the error: a function that is not there, or that takes other arguments.
func (s *Set) build(ctx context.Context, calls []*plan.Foreign, dir string) (string, error) {
	src, err := source(calls)
	if err != nil {
		return "", err
	}
	root, err := filepath.Abs(s.dir)
	if err != nil {
		return "", err
	}
	file, over, bin := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "helper")
	if err := os.WriteFile(file, src, 0o600); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, folder, "main.go"): file}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(over, text, 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-overlay", over, "-o", bin, "./"+folder)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the Go functions of ops do not compile with what they are called with:\n%s%w", complaint(out, calls), err)
	}
	return bin, nil
}

// complaint is what the compiler says, with the types that are wanted.
func complaint(out []byte, calls []*plan.Foreign) string {
	var b strings.Builder
	for l := range strings.Lines(string(out)) {
		if !strings.HasPrefix(l, "#") {
			b.WriteString("  " + strings.TrimPrefix(strings.TrimRight(l, "\n"), folder+string(filepath.Separator)) + "\n")
		}
	}
	for _, f := range calls {
		fmt.Fprintf(&b, "  %s.%s is called as a %s\n", f.Path, f.Name, goType(f.Type))
	}
	return b.String()
}

// Check reports functions that are missing or do not fit the plans that Link has
// seen. It does nothing where these have none.
func (s *Set) Check(ctx context.Context) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) == 0 {
		return nil
	}
	dir, err := os.MkdirTemp("", "graphc-go-ops-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	_, err = s.build(ctx, s.calls, dir)
	return err
}

// helper is a program under way that calls the functions.
type helper struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	enc    *gob.Encoder
	dec    *gob.Decoder
	stderr lockedBuffer
}

// lockedBuffer keeps the end of what is written to it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

const maxKept = 4 << 10

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	os.Stderr.Write(p)
	l.b.Write(p)
	l.b.Next(max(0, l.b.Len()-maxKept))
	return len(p), nil
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(l.b.String())
}

// start has a helper under way that knows all calls. Functions that keep something
// between calls begin anew where it is another one than before.
func (s *Set) start() (*helper, error) {
	if s.helper != nil && s.built == len(s.calls) {
		return s.helper, nil
	}
	s.stop()
	dir, err := os.MkdirTemp("", "graphc-go-ops-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // the program is open when it goes
	bin, err := s.build(context.Background(), s.calls, dir)
	if err != nil {
		return nil, tensor.Errorf(tensor.FailedPrecondition, "%v", err)
	}
	h := &helper{cmd: exec.Command(bin)}
	h.cmd.Stderr = &h.stderr
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := h.cmd.Start(); err != nil {
		return nil, err
	}
	h.enc, h.dec = gob.NewEncoder(h.in), gob.NewDecoder(bufio.NewReader(out))
	s.helper, s.built = h, len(s.calls)
	return h, nil
}

func (s *Set) stop() {
	if h := s.helper; h != nil {
		h.in.Close()
		h.cmd.Wait()
		s.helper = nil
	}
}

// Close ends the program that calls the functions, if one was started.
func (s *Set) Close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop()
}

// answer is what a function said, besides its sizes and outputs.
type answer struct {
	Failed bool
	Text   string
	Panic  bool
}

// caller calls function k by the helper.
func (s *Set) caller(k int, f *plan.Foreign) func([]reflect.Value) []reflect.Value {
	return func(args []reflect.Value) []reflect.Value {
		s.mu.Lock()
		defer s.mu.Unlock()
		rets := make([]reflect.Value, f.Type.NumOut())
		for i := range rets {
			rets[i] = reflect.New(f.Type.Out(i)).Elem()
		}
		h, err := s.start()
		if err == nil {
			if err = h.call(k, f, args, rets); err != nil && h == s.helper && tensor.CodeOf(err) == tensor.Internal {
				s.stop() // out of step
				if text := h.stderr.String(); text != "" {
					err = fmt.Errorf("%w; it wrote:\n%s", err, text)
				}
			}
		}
		if err != nil {
			rets[len(rets)-1].Set(reflect.ValueOf(&err).Elem())
		}
		return rets
	}
}

// call sends the number of the function and its arguments, of what it writes only
// the length, and receives an answer, the sizes and what it has written.
func (h *helper) call(k int, f *plan.Foreign, args, rets []reflect.Value) error {
	broken := func(err error) error {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrClosed) {
			return tensor.Errorf(tensor.Internal, "the program that calls the Go functions has ended")
		}
		return tensor.Errorf(tensor.Internal, "the program that calls the Go functions: %v", err)
	}
	if err := h.enc.Encode(k); err != nil {
		return broken(err)
	}
	for i, a := range args {
		if i < 2*f.Outs && i%2 == 0 {
			a = reflect.ValueOf(a.Len())
		}
		if err := h.enc.EncodeValue(a); err != nil {
			return broken(err)
		}
	}
	var ans answer
	if err := h.dec.Decode(&ans); err != nil {
		return broken(err)
	}
	for i := range len(rets) - 1 {
		if err := h.dec.DecodeValue(rets[i].Addr()); err != nil {
			return broken(err)
		}
	}
	for i := 0; i < 2*f.Outs; i += 2 {
		got := reflect.New(args[i].Type())
		if err := h.dec.DecodeValue(got); err != nil {
			return broken(err)
		}
		reflect.Copy(args[i], got.Elem())
	}
	switch {
	case ans.Panic:
		return tensor.Errorf(tensor.Internal, "%s.%s panics: %s", f.Path, f.Name, ans.Text)
	case ans.Failed:
		return failure(ans.Text)
	}
	return nil
}

// failure is a function's error. Where it is one of graphc's run time, its text
// begins with its code.
func failure(text string) error {
	for c := tensor.Cancelled; c <= tensor.Unauthenticated; c++ {
		if rest, ok := strings.CutPrefix(text, c.String()+": "); ok {
			return tensor.Errorf(c, "%s", rest)
		}
	}
	return errors.New(text)
}
