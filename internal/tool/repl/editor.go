package repl

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/peterh/liner"
	"golang.org/x/term"

	"github.com/graphc/graphc/rt/files"
)

// prompt is printed before each line on a terminal.
const prompt = ">>> "

// errAborted is returned if the user pressed Ctrl-C instead of finishing the line.
var errAborted = errors.New("the line was ended by Ctrl-C")

// Limits for the history, in which package liner keeps at most 1000 lines. A line of more than
// historyLine bytes is not added to the history, because it is mostly data. A history file of more
// than historyBytes bytes is not read.
const (
	historyLine  = 4096
	historyBytes = 1000 * (historyLine + 1)
)

// isTerminal reports whether a stream is a terminal that understands escape sequences.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// editor reads lines from the terminal, with a history and completion.
type editor struct {
	state   *liner.State
	history string // path of the history file; "" for no history
	once    sync.Once
}

func newEditor(s *Session, history bool) *editor {
	e := &editor{state: liner.NewLiner()}
	e.state.SetCtrlCAborts(true)
	e.state.SetTabCompletionStyle(liner.TabPrints)
	e.state.SetWordCompleter(s.complete)
	if history {
		e.history = historyFile(os.Getenv)
	}
	if e.history != "" {
		if b, err := files.ReadFile(e.history, historyBytes); err == nil {
			_, _ = e.state.ReadHistory(bytes.NewReader(b)) // ignore the error: the history then lacks the lines that cannot be read
		}
	}
	return e
}

// historyFile returns the path of the history file, in the user's folder for the state of programs.
// It returns "" if the environment does not define such a folder.
func historyFile(env func(string) string) string {
	if dir := env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "graphc", "history")
	}
	if dir, err := os.UserCacheDir(); env("HOME") == "" && err == nil { // as on Windows
		return filepath.Join(dir, "graphc", "history")
	}
	if home := env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "graphc", "history")
	}
	return ""
}

// line reads one line from the terminal. The error is io.EOF after Ctrl-D, and errAborted after
// Ctrl-C.
func (e *editor) line() (string, error) {
	line, err := e.state.Prompt(prompt)
	switch {
	case errors.Is(err, liner.ErrPromptAborted):
		return "", errAborted
	case err != nil:
		return "", io.EOF
	}
	if strings.TrimSpace(line) != "" && len(line) <= historyLine {
		e.state.AppendHistory(line)
	}
	return line, nil
}

// close restores the terminal and writes the history file. The end of a session calls close, and so
// does a signal that ends the program; only the first call has an effect. Errors of writing the
// history are ignored.
func (e *editor) close() { e.once.Do(e.end) }

func (e *editor) end() {
	_ = e.state.Close()
	if e.history == "" || os.MkdirAll(filepath.Dir(e.history), 0o700) != nil {
		return
	}
	var b bytes.Buffer
	if _, err := e.state.WriteHistory(&b); err == nil {
		_ = os.WriteFile(e.history, b.Bytes(), 0o600)
	}
}
