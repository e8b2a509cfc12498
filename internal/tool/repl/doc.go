// Package repl implements graphc repl, an interactive session with a model. The user names feeds
// and fetches. Each combination of feeds and fetches is compiled before its first run. The type
// Session holds the fed tensors and the kept results, and executes lines. It does not depend on a
// terminal. The function Model reads lines from a terminal, a pipe or a flag, and passes them to a
// Session.
package repl
