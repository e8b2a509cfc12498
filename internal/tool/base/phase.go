package base

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// unhurried is the time for which a command must run before its phase is shown. Without this delay,
// the line would flicker when a command ends quickly.
const unhurried = 500 * time.Millisecond

// phaseWidth is the maximum number of characters of a phase's text that are shown.
const phaseWidth = 60

// Phase is a line on a terminal that says what a command is doing, for work of unknown duration. It
// is shown after the command has worked for half a second. If messages do not go to a terminal, or
// if the Phase is nil, nothing is shown. It may be used from several goroutines.
type Phase struct {
	a    *App
	name string // the first text

	mu    sync.Mutex
	text  string
	bar   *progressbar.ProgressBar // nil until the phase is shown
	timer *time.Timer
	ended bool
}

// NewPhase begins a phase. Close ends it.
func (a *App) NewPhase(text string) *Phase {
	if !a.isTerminal() {
		return nil
	}
	p := &Phase{a: a, name: text, text: text}
	p.timer = time.AfterFunc(unhurried, p.show)
	return p
}

// show draws the phase for the first time.
func (p *Phase) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.bar = progressbar.NewOptions(-1, progressbar.OptionSetWriter(p.a.Err), progressbar.OptionSetDescription(p.shown()),
		progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(90*time.Millisecond), progressbar.OptionSpinnerType(14),
		progressbar.OptionEnableColorCodes(p.a.colors()))
	_ = p.bar.RenderBlank() // ignore errors, because the work must go on even if the terminal cannot be written
}

// shown returns the phase's text, shortened to phaseWidth characters.
func (p *Phase) shown() string {
	return Clip(p.text, phaseWidth)
}

// Is replaces the text that is shown.
func (p *Phase) Is(text string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.text = text; p.bar != nil && !p.ended {
		p.bar.Describe(p.shown())
	}
}

// Passes returns a function for graphc.Options.Progress. This function makes the phase show the
// model's name and the name of the pass that is running.
func (p *Phase) Passes(model string) func(pass, signature string) {
	return func(pass, _ string) { p.Is(model + ": " + pass) }
}

// Clear removes the line from the terminal, so that other text can be printed. The next update of
// the phase shows the line again.
func (p *Phase) Clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil && !p.ended {
		_ = p.bar.Clear()
	}
}

// Close ends the phase and removes its line from the terminal.
func (p *Phase) Close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.ended = true
	p.timer.Stop()
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

// Ends returns a writer that writes to w. The writer closes the phase before it writes the first
// byte.
func (p *Phase) Ends(w io.Writer) io.Writer {
	if p == nil {
		return w
	}
	return &endingWriter{p, w}
}

type endingWriter struct {
	p *Phase
	w io.Writer
}

// Write implements io.Writer.
func (e *endingWriter) Write(b []byte) (int, error) {
	e.p.Close()
	return e.w.Write(b)
}

// phaseKey is the context key for the phase.
type phaseKey struct{}

// WithPhase returns a context that contains the phase p, for the function Doing.
func WithPhase(ctx context.Context, p *Phase) context.Context {
	return context.WithValue(ctx, phaseKey{}, p)
}

// Doing changes the text of the phase in ctx to the phase's first text, followed by ": " and the
// parameter text. It does nothing if the context has no phase.
func Doing(ctx context.Context, text string) {
	if p, _ := ctx.Value(phaseKey{}).(*Phase); p != nil {
		p.Is(p.name + ": " + text)
	}
}
