package pipeline

import (
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// grace is how much longer than its deadline a compilation may take until it ends by
// itself, with an error that tells how far it has come.
const grace = 900 * time.Millisecond

// Within returns what f does, which works on an untrusted graph: the error of the
// deadline when f does not end soon after it, and Internal when f panics. An f that
// does not end goes on; it must not share what it writes with its caller.
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

// where finds the line that panicked in a stack trace: the one below panic's own that
// is not the run time's.
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
