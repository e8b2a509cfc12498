package view

import (
	"strings"

	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/history"
)

// The kinds of notes about a node.
const (
	noteUse     = iota // how it is fed or fetched
	noteRefused        // what a pass did not do to it, and why
	noteStep           // a step of the plan that computes it
	noteOrigin         // where the node came from
	notePlaced         // why it is on its device
	noteShort          // its name in emitted code and errors
)

// fates adds rows to sig.Fates and sig.Notes that say what became of each node. A row of sig.Fates has
// the node, a word for its fate, the pass that caused it, the node's replacement at the end or -1, the
// reason, and the pass that made the node.
func (r *recorder) fates(sig *signature, x *history.History, s *pipeline.Signature) {
	f := history.NewFates(x, s)
	for _, name := range r.sorted(x) {
		t := f.Of(name)
		if t == nil {
			continue
		}
		n, into, pass := r.node(name), -1, t.Pass
		if t.Into != "" {
			into = r.node(t.Into)
		}
		sig.Fates = append(sig.Fates, []int{n, r.text(t.Status), r.text(pass), into, r.text(clip(t.Why)), r.text(x.Lives[name].Made)})
		note := func(kind int, text string) {
			if text != "" {
				sig.Notes = append(sig.Notes, []int{n, kind, r.text(clip(text))})
			}
		}
		if strings.HasPrefix(t.Origin, "function ") {
			note(noteOrigin, t.Origin)
		}
		note(noteShort, t.Short)
		if t.Device != "" {
			note(notePlaced, t.Device+": "+t.DeviceWhy)
		}
		for _, u := range t.IO {
			note(noteUse, u)
		}
		for _, u := range t.Refused {
			note(noteRefused, u)
		}
		if t.Into == name { // for a replaced node, t.Steps belong to its replacement, which has notes about them
			for _, st := range t.Steps {
				note(noteStep, st.String())
			}
		}
	}
}
