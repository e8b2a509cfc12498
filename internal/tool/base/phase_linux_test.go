package base

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/testkit"
)

// shownOn collects the text that a program writes to a terminal; the parameter side is the other
// end of the terminal. It returns two functions. The first one waits until the collected text
// contains want. The second one returns the collected text.
func shownOn(t *testing.T, side *os.File) (wait func(want string), all func() string) {
	var mu sync.Mutex
	var b bytes.Buffer
	go func() {
		part := make([]byte, 1024)
		for {
			n, err := side.Read(part)
			mu.Lock()
			b.Write(part[:n])
			mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	all = func() string {
		mu.Lock()
		defer mu.Unlock()
		return b.String()
	}
	return func(want string) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); !strings.Contains(all(), want); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the terminal shows %q, %q is wanted", all(), want)
			}
		}
	}, all
}

// TestPhase: a phase appears on a terminal after a while, its text says what the command is doing,
// and it disappears when a result is printed.
func TestPhase(t *testing.T) {
	t.Setenv("TERM", "xterm")
	side, tty := testkit.Terminal(t)
	wait, all := shownOn(t, side)
	a := &App{Err: tty}

	p := a.NewPhase("at once")
	p.Close()
	p = a.NewPhase("model.pb")
	wait("model.pb")
	p.Passes("model.pb")("fold", "")
	wait("model.pb: fold")
	Doing(WithPhase(context.Background(), p), "go build")
	wait("model.pb: go build")
	p.Is(strings.Repeat("x", 200))
	wait(strings.Repeat("x", phaseWidth) + "…")
	fmt.Fprint(p.Ends(tty), "result")
	wait("result")
	time.Sleep(250 * time.Millisecond) // if the spinner had not stopped, it would write to the terminal every tenth of a second
	if text := all(); !strings.HasSuffix(text, "result") || strings.Contains(text, "at once") {
		t.Errorf("the terminal shows %q", text)
	}
}

// TestBar: a bar is drawn before its first step, because this step may take long.
func TestBar(t *testing.T) {
	t.Setenv("TERM", "xterm")
	side, tty := testkit.Terminal(t)
	wait, _ := shownOn(t, side)
	b := (&App{Err: tty}).NewBar(4, "verify")
	wait("verify   0%")
	time.Sleep(150 * time.Millisecond) // a bar is drawn again only after a tenth of a second
	b.Add(1)
	wait("(1/4")
	b.Close()
}

// TestNoPhase: where standard error is not a terminal, nothing is shown.
func TestNoPhase(t *testing.T) {
	var b strings.Builder
	a := &App{Err: &b}
	p := a.NewPhase("model.pb")
	p.Is("fold")
	Doing(WithPhase(context.Background(), p), "go build")
	fmt.Fprint(p.Ends(&b), "result")
	p.Clear()
	p.Close()
	t.Setenv("TERM", "dumb")
	_, tty := testkit.Terminal(t)
	if p := (&App{Err: tty}).NewPhase("x"); p != nil || b.String() != "result" {
		t.Errorf("a phase on a dumb terminal: %v; the stream has %q", p, b.String())
	}
}
