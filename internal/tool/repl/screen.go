package repl

import (
	"os"
	"strings"

	"golang.org/x/term"
)

// colors says how many colours a terminal can show.
type colors int

const (
	noColors colors = iota
	colors256
	trueColors
)

// screen describes the output of a session: its size and the colours that it can show.
type screen struct {
	width, height int // in characters
	colors        colors
}

// plainScreen returns the screen to assume for output to a file or a pipe.
func plainScreen() screen { return screen{width: 80, height: 24} }

// screenOf returns the size and the colours of the terminal f. If f is not a terminal, it returns
// plainScreen. The function env returns the value of an environment variable.
func screenOf(f *os.File, env func(string) string) screen {
	s := plainScreen()
	if !term.IsTerminal(int(f.Fd())) {
		return s
	}
	if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
		s.width, s.height = w, h
	}
	s.colors = colorsOf(env)
	return s
}

// colorsOf returns the colours of the terminal according to environment variables. If NO_COLOR is
// set, it returns noColors.
func colorsOf(env func(string) string) colors {
	name := env("TERM")
	switch {
	case env("NO_COLOR") != "" || name == "dumb" || name == "":
		return noColors
	case env("COLORTERM") == "truecolor" || env("COLORTERM") == "24bit" || strings.HasSuffix(name, "-direct"):
		return trueColors
	case strings.Contains(name, "256color"):
		return colors256
	}
	return noColors
}
