package codegen

import "maps"

// funcBody prints the body of one function. A part of it that is printed in another mode, such as
// the body of a loop, is printed by a copy with that mode. A called function has a separate
// funcBody.
type funcBody struct {
	*stepsFile
	mode
}

// mode holds the settings that differ between functions, and between parts of one function.
type mode struct {
	printer
	errs      bool // some call returns an error
	ints      bool // the function keeps lists of sizes
	stateless bool // the function has no run state
	inPar     bool // the function computes chunks of a loop over items
	collects  bool // the printed code is discarded; see outline
	runs      bool // the function runs all steps of the signature
	offset    int  // the first step of an outlined function, else -1
}

// newBody begins a function. The parameter t is the table of an outlined function, and nil for
// other functions. inTask reports whether the function is part of a task.
func (s *stepsFile) newBody(t *table, inTask bool) *funcBody {
	b := &funcBody{s, mode{printer: *s.e.printer(s.sig), offset: -1}}
	b.table, b.inTask = t, inTask
	if t == nil { // an outlined function has no named windows: its places differ between repetitions
		b.windows = &windows{by: map[string]string{}}
	}
	return b
}

// fails reports whether the function returns an error. Functions of tasks always do, because all
// have one type. So do functions that run a signature.
func (s *funcBody) fails() bool { return s.errs || s.inTask || s.runs }

// printer returns the printer of a function.
func (e *emitter) printer(sig *signature) *printer {
	return &printer{e: e, sig: sig, used: map[string]bool{}, names: maps.Clone(sig.reserved)}
}
