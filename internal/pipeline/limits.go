package pipeline

import (
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// grace is how long a compilation may run on after its deadline. In this time, it should end by
// itself, with an error that says how far it got.
const grace = 900 * time.Millisecond

// Within calls f, which works on an untrusted graph, in a new goroutine. It returns the deadline's
// error if f has not returned soon after the deadline, and an Internal error if f panics. After the
// deadline, f may still be running. Therefore f must not write data that it shares with the caller.
func Within[T any](d ir.Deadline, f func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = tensor.Errorf(tensor.Internal, "panic: %v%s", p, where(string(debug.Stack())))
			}
			done <- r
		}()
		r.v, r.err = f()
	}()
	ctx, cancel := d.Context()
	defer cancel()
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
	}
	late := d.Err()
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case r := <-done:
		return r.v, r.err
	case <-t.C:
		var none T
		return none, late
	}
}

// where returns the source line that panicked. In a stack trace, this is the first line below the
// call of panic that is not in package runtime.
func where(stack string) string {
	_, after, ok := strings.Cut(stack, "\npanic(")
	if !ok {
		return ""
	}
	lines := strings.Split(after, "\n")
	for i := 2; i+1 < len(lines); i += 2 {
		if !strings.HasPrefix(lines[i], "runtime.") {
			at, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " +0x")
			return fmt.Sprintf(" at %s", at)
		}
	}
	return ""
}
