package view

import (
	"strings"

	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/history"
)

// The kinds of notes about a node.
const (
	noteUse     = iota // how the node is fed or fetched
	noteRefused        // a change that a pass did not make to the node, with the reason
	noteStep           // a step of the plan that computes the node
	noteOrigin         // where the node came from
	notePlaced         // the node's device, and the reason for it
	noteShort          // the node's name in emitted code and in errors
)

// fates adds rows to sig.Fates and sig.Notes that describe what the passes did with each node. A
// row of sig.Fates has the node, its history.Fate.Status, the pass that gave the node this status,
// the node that replaces it after the last pass or -1, the reason, and the pass that made the node.
// Texts and nodes are given by their indices in the tables of the page.
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
		if t.Into == name { // if another node has replaced this one, the steps belong to the other node
			for _, st := range t.Steps {
				note(noteStep, st.String())
			}
		}
	}
}
