package codegen

import "maps"

// funcBody emits the body of one function. A copy of the funcBody with another mode emits a part
// that needs that mode, such as the body of a loop. A called function has a separate funcBody.
type funcBody struct {
	*stepsFile
	mode
}

// mode holds the settings that differ between functions, and between parts of one function.
type mode struct {
	printer
	errs      bool // whether a call in the function returns an error
	ints      bool // whether the function calls the method Ints, which makes lists of sizes
	stateless bool // whether the function has no access to the state of a run
	inPar     bool // whether the function is the body of a parallel loop; a call computes some of the loop's items
	collects  bool // whether the emitted code is discarded; see outline
	runs      bool // whether the function runs all steps of the signature
	// for a function that replaces repeated steps (see outline), the number of its first step; else
	// -1
	offset int
}

// newBody returns a new funcBody. If the function replaces repeated steps (see outline), the
// parameter t is the table of these steps; otherwise t is nil. inTask reports whether the function
// is part of a task.
func (s *stepsFile) newBody(t *table, inTask bool) *funcBody {
	b := &funcBody{s, mode{printer: *s.e.printer(s.sig), offset: -1}}
	b.table, b.inTask = t, inTask
	// The function for repeated steps gets no local variables for parts of buffers, because the
	// places of the buffers differ between repetitions.
	if t == nil {
		b.windows = &windows{by: map[string]string{}}
	}
	return b
}

// fails reports whether the function returns an error. A function of a task always does, because
// the functions of all tasks have the same type. A function that runs all steps of a signature
// always does, too.
func (s *funcBody) fails() bool { return s.errs || s.inTask || s.runs }

// printer returns a new printer for expressions in one function.
func (e *emitter) printer(sig *signature) *printer {
	return &printer{e: e, sig: sig, used: map[string]bool{}, names: maps.Clone(sig.reserved)}
}
