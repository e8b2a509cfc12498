package main

import (
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bar shows progress on a terminal; elsewhere, and when nil, it is silent.
type bar struct{ b *progressbar.ProgressBar }

// isTerminal reports whether talk goes to a person.
func (a *app) isTerminal() bool {
	f, ok := a.err.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// colors reports whether talk may be coloured.
func (a *app) colors() bool { return a.isTerminal() && os.Getenv("NO_COLOR") == "" }

// newBar makes a bar for n steps; n < 0 is a spinner.
func (a *app) newBar(n int, what string) *bar {
	if !a.isTerminal() {
		return &bar{}
	}
	return &bar{progressbar.NewOptions(n, progressbar.OptionSetWriter(a.err), progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100_000_000),
		progressbar.OptionEnableColorCodes(a.colors()))}
}

// The bar is talk: a terminal that cannot be written to must not fail the work.

func (b *bar) add(n int) {
	if b.b != nil {
		_ = b.b.Add(n)
	}
}

func (b *bar) describe(what string) {
	if b.b != nil {
		b.b.Describe(what)
	}
}

func (b *bar) clear() {
	if b.b != nil {
		_ = b.b.Clear()
	}
}

func (b *bar) close() {
	if b.b != nil {
		_ = b.b.Finish()
	}
}
