package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/testkit"
)

// terminal is a running program whose standard input and output are a pseudo terminal of 80 columns
// and 24 rows.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	side *os.File // the end of the pseudo terminal at which a person would type and read
	mu   sync.Mutex
	text bytes.Buffer
	seen int
}

// newTerminal starts a program in a terminal.
func newTerminal(t *testing.T, cmd *exec.Cmd) *terminal {
	t.Helper()
	side, tty := testkit.Terminal(t)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	term := &terminal{t: t, cmd: cmd, side: side}
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := side.Read(b)
			term.mu.Lock()
			term.text.Write(b[:n])
			term.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return term
}

// keys types text and waits until the terminal's new output contains want.
func (x *terminal) keys(text, want string) {
	x.t.Helper()
	if _, err := x.side.WriteString(text); err != nil {
		x.t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		x.mu.Lock()
		rest := x.text.String()[x.seen:]
		i := strings.Index(rest, want)
		if i >= 0 {
			x.seen += i + len(want)
		}
		x.mu.Unlock()
		if i >= 0 {
			return
		}
		if time.Now().After(end) {
			x.t.Fatalf("after %q the terminal shows %q, %q is wanted", text, rest, want)
		}
	}
}

// TestReplTerminal: on a terminal, a session has a banner, a prompt, completion, and a history that
// later sessions share. It continues after errors and after Ctrl-C.
func TestReplTerminal(t *testing.T) {
	state := t.TempDir()
	start := func(args ...string) *terminal {
		cmd := exec.Command(testkit.Tool(t), append([]string{"repl"}, args...)...)
		cmd.Dir = filepath.Join(testkit.Root(t), "examples", "training")
		cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=", "NO_COLOR=", "XDG_STATE_HOME="+state)
		return newTerminal(t, cmd)
	}
	end := func(x *terminal, keys string) {
		t.Helper()
		if _, err := x.side.WriteString(keys); err != nil {
			t.Fatal(err)
		}
		if err := x.cmd.Wait(); err != nil {
			t.Errorf("the session ends with %v", err)
		}
	}
	x := start("moons.pbtxt")
	x.keys("", "moons.pbtxt: no signatures, 2 inputs, 53 outputs. Type help for help.\r\n>>> ")
	x.keys("run init\r", "done\r\n>>> ")
	x.keys("points = [[1, 2]]\r", "feed points:0 f32[1,2]\r\n>>> ")
	x.keys("sco\t", "scores")
	x.keys("\r", "scores:0 f32[1,2]\r\n[[")
	x.keys("", ">>> ")
	x.keys("scorse\r", `did you mean "scores"?`)
	x.keys("", ">>> ")
	x.keys("show layer1/w\r", "\x1b[38;5;")
	x.keys("", ">>> ")
	x.keys("time scores 1000000; global_step\r", "\r\n")
	time.Sleep(50 * time.Millisecond)
	x.keys("\x03", "interrupted\r\n>>> ")
	x.keys("no such line\x03", ">>> ")
	x.keys("seed 7\r", ">>> ")
	end(x, "\x04")

	x = start("moons.pbtxt")
	x.keys("", ">>> ")
	x.keys("\x1b[A", "seed 7")
	x.keys("\x12int", "points = [[1, 2]]") // Ctrl-R
	x.keys("\r", "feed points:0 f32[1,2]\r\n>>> ")
	end(x, "quit\r")

	x = start("moons.pbtxt", "--no-history")
	x.keys("", ">>> ")
	x.keys("\x1b[Aseed 3\r", ">>> ")
	end(x, "\x04")
	text, err := os.ReadFile(filepath.Join(state, "graphc", "history"))
	if err != nil || !strings.Contains(string(text), "scores\n") || strings.Contains(string(text), "seed 3") {
		t.Errorf("the history is %q, %v", text, err)
	}
}
