package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/tool/base"
)

// fakeWorker is the main function of a worker for tests. Its reply to a request depends on the name
// of the folder in the request.
func fakeWorker() {
	err := caserun.Serve(os.Stdin, os.Stdout, func(q caserun.Request) caserun.Reply {
		switch q.Dir {
		case "hang":
			time.Sleep(time.Hour)
		case "panic":
			panic("kernel fault")
		case "exit":
			fmt.Fprintln(os.Stderr, "last words")
			os.Exit(7)
		case "fail":
			return caserun.Verdict(q.Index, fmt.Errorf("wrong answer"))
		}
		return caserun.Verdict(q.Index, nil)
	})
	if err != nil {
		os.Exit(1)
	}
}

// TestMain runs fakeWorker if a test started this process as a worker.
func TestMain(m *testing.M) {
	if os.Getenv("GRAPHC_TEST_WORKER") != "" {
		fakeWorker()
		return
	}
	os.Exit(m.Run())
}

func TestPool(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dirs := []string{"ok", "panic", "ok", "hang", "exit", "ok", "fail", "ok"}
	want := []string{"", "crashed: panic: kernel fault", "", "no answer after 300ms", "crashed: exit status 7 last words", "", "wrong answer", ""}
	for _, jobs := range []int{1, 3} {
		p := &pool{command: []string{self}, env: []string{"GRAPHC_TEST_WORKER=1"}, jobs: jobs, timeout: 300 * time.Millisecond}
		var requests []caserun.Request
		for i, d := range dirs {
			requests = append(requests, caserun.Request{Index: i, Dir: d})
		}
		got := make([]*caserun.Reply, len(dirs))
		p.run(context.Background(), requests, func(r caserun.Reply, _ time.Duration) { got[r.Index] = &r })
		for i, r := range got {
			if r == nil || r.Passed != (want[i] == "") || !strings.HasPrefix(r.Reason, want[i]) {
				t.Errorf("%d jobs: %s: %+v, want %q", jobs, dirs[i], r, want[i])
			}
		}
	}
}

func TestPoolCancelled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &pool{command: []string{self}, env: []string{"GRAPHC_TEST_WORKER=1"}, jobs: 1, timeout: time.Minute}
	n := 0
	p.run(ctx, []caserun.Request{{Index: 0, Dir: "ok"}, {Index: 1, Dir: "hang"}, {Index: 2, Dir: "ok"}}, func(caserun.Reply, time.Duration) {
		n++
		time.AfterFunc(50*time.Millisecond, cancel)
	})
	if n != 1 {
		t.Errorf("%d answers", n)
	}
}

func TestTailBuffer(t *testing.T) {
	var b tailBuffer
	fmt.Fprint(&b, "panic: first\n")
	for range 10 {
		fmt.Fprint(&b, strings.Repeat("x", tailSize))
	}
	fmt.Fprint(&b, "last")
	if s := b.String(); !strings.HasPrefix(s, "panic: first\n") || !strings.HasSuffix(s, "xlast") || len(s) > 4*tailSize {
		t.Errorf("%d bytes kept", len(s))
	}
}

// full is a writer that fails like a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestReporterWriteError checks that verify returns an error if the lines about cases cannot be
// written.
func TestReporterWriteError(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		r := newReporter(&base.App{Out: full{}, Err: io.Discard}, []*cases.Case{{Dir: "c"}}, asJSON)
		r.set(0, outcome{status: "ok"})
		if err := r.finish(context.Background()); err == nil || base.ExitCode(err) != base.ExitFailure {
			t.Errorf("json %t: the error is %v", asJSON, err)
		}
	}
}
