// Package repl implements graphc repl, an interactive session with a model. The user names feeds and
// fetches. Each combination of them is compiled before its first run.
//
// Session holds the fed tensors and the kept results, and executes lines. It does not depend on a
// terminal. Model reads lines from a terminal, a pipe or a flag and passes them to a Session.
package repl
