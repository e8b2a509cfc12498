package base

import (
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Bar shows progress on a terminal. If messages do not go to a terminal, or if the Bar is the zero
// value, nothing is shown.
type Bar struct{ b *progressbar.ProgressBar }

// isTerminal reports whether messages go to a terminal.
func (a *App) isTerminal() bool {
	f, ok := a.Err.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// colors reports whether messages may be colored.
func (a *App) colors() bool { return a.isTerminal() && os.Getenv("NO_COLOR") == "" }

// NewBar shows a progress bar for n steps. The parameter what is the text beside the bar. If the
// number of steps is unknown, use NewPhase.
func (a *App) NewBar(n int, what string) *Bar {
	if !a.isTerminal() {
		return &Bar{}
	}
	b := &Bar{progressbar.NewOptions(n, progressbar.OptionSetWriter(a.Err), progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100_000_000),
		progressbar.OptionEnableColorCodes(a.colors()))}
	_ = b.b.RenderBlank()
	return b
}

// Bar ignores errors of the terminal, because the work must go on even if progress cannot be shown.

// Add advances the bar by n steps.
func (b *Bar) Add(n int) {
	if b.b != nil {
		_ = b.b.Add(n)
	}
}

// Describe changes the text beside the bar.
func (b *Bar) Describe(what string) {
	if b.b != nil {
		b.b.Describe(what)
	}
}

// Clear removes the bar, so that a line can be printed.
func (b *Bar) Clear() {
	if b.b != nil {
		_ = b.b.Clear()
	}
}

// Close ends the bar.
func (b *Bar) Close() {
	if b.b != nil {
		_ = b.b.Finish()
	}
}
