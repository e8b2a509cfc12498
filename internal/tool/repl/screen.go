package repl

import (
	"os"
	"strings"

	"golang.org/x/term"
)

// colors are the colours that a terminal has.
type colors int

const (
	noColors colors = iota
	colors256
	trueColors
)

// screen is the size and the colours of the output.
type screen struct {
	width, height int // in characters
	colors        colors
}

// plainScreen returns the screen of a file or a pipe.
func plainScreen() screen { return screen{width: 80, height: 24} }

// screenOf returns the screen of a terminal. For other files, it returns the screen of a pipe. env
// looks up an environment variable.
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

// colorsOf returns the colours that the environment says a terminal has. NO_COLOR turns them off.
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
