// Package repl is an interactive session with a model: graphc repl. A person names feeds and
// fetches, and each set of them is compiled when it is first run.
//
// Session holds the fed tensors and the kept results and executes lines; it does not depend on a
// terminal. Model reads lines from a terminal, from a pipe or from a flag and passes them to it.
package repl
