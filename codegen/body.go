package codegen

import "maps"

// funcBody prints the body of one function. A copy of the funcBody with another mode prints a part
// that needs that mode, such as the body of a loop. A called function has a separate funcBody.
type funcBody struct {
	*stepsFile
	mode
}

// mode holds the settings that differ between functions, and between parts of one function.
type mode struct {
	printer
	errs      bool // some call returns an error
	ints      bool // the function makes lists of sizes by the method Ints
	stateless bool // the function has no run state
	inPar     bool // the function computes chunks of a loop over items
	collects  bool // the printed code is discarded; see outline
	runs      bool // the function runs all steps of the signature
	offset    int  // the number of the first step of an outlined function, else -1
}

// newBody begins a function. The parameter t is the table of an outlined function, and nil for
// other functions. inTask reports whether the function is part of a task.
func (s *stepsFile) newBody(t *table, inTask bool) *funcBody {
	b := &funcBody{s, mode{printer: *s.e.printer(s.sig), offset: -1}}
	b.table, b.inTask = t, inTask
	// An outlined function gets no named windows, because the places of buffers differ between
	// repetitions.
	if t == nil {
		b.windows = &windows{by: map[string]string{}}
	}
	return b
}

// fails reports whether the function returns an error. Functions of tasks always do, because the
// functions of all tasks have the same type. Functions that run a signature also do.
func (s *funcBody) fails() bool { return s.errs || s.inTask || s.runs }

// printer returns the printer of a function.
func (e *emitter) printer(sig *signature) *printer {
	return &printer{e: e, sig: sig, used: map[string]bool{}, names: maps.Clone(sig.reserved)}
}
