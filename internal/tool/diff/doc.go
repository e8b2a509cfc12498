// Package diff implements graphc diff, which searches for the cause of wrong outputs of a case. It
// finds the first node that computes a wrong tensor, or the first edit of a pass after which the
// outputs are wrong.
package diff
