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

// errAborted is the error of a line that Ctrl-C ended.
var errAborted = errors.New("the line was ended by Ctrl-C")

// Package liner keeps at most 1000 lines in the history. Lines of more than historyLine bytes are not
// added to it, because they are mostly data. historyBytes bounds the size of a history file that is
// read.
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
	history string // the history file; "": no history
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
			_, _ = e.state.ReadHistory(bytes.NewReader(b)) // a history that cannot be read is empty
		}
	}
	return e
}

// historyFile returns the file of the history, below the folder for the user's state. It returns ""
// if the environment names no such folder.
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

// line reads a line. It returns io.EOF after Ctrl-D and errAborted after Ctrl-C.
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

// close restores the terminal and writes the history. Only the first call has an effect: both the end of
// the session and a signal that ends the program call it. A history that cannot be written is lost.
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
