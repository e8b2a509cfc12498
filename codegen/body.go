package codegen

import "maps"

// funcBody prints what stands in one function. A part of the function that is printed in
// another mode, such as the body of a loop, is printed by a copy with that mode. A function that is
// called from here has a funcBody of its own.
type funcBody struct {
	*stepsFile
	mode
}

// mode is what is different in other functions, or in parts of this one.
type mode struct {
	printer
	errs      bool // there are calls that fail
	ints      bool // lists of sizes are kept
	stateless bool // the function has no state of a run
	inPar     bool // the function does chunks of a loop over items
	collects  bool // what is printed is thrown away
	runs      bool // the function does all steps of the signature
	offset    int  // the step that an outlined function begins with, else -1
}

// newBody begins a function; t is the table of one that is outlined, else nil. inTask says that the
// function is part of a task.
func (s *stepsFile) newBody(t *table, inTask bool) *funcBody {
	b := &funcBody{s, mode{printer: *s.e.printer(s.sig), offset: -1}}
	b.table, b.inTask = t, inTask
	if t == nil { // in an outlined function, one place stands for others in the next repetition
		b.windows = &windows{by: map[string]string{}}
	}
	return b
}

// fails reports whether the function returns an error. Those of tasks all do, since they are of one type, and so do
// those that run a signature.
func (s *funcBody) fails() bool { return s.errs || s.inTask || s.runs }

// printer makes the printer of a function.
func (e *emitter) printer(sig *signature) *printer {
	return &printer{e: e, sig: sig, used: map[string]bool{}, names: maps.Clone(sig.reserved)}
}
