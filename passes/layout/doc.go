// Package layout contains passes that simplify reshapes and transpositions, and that move other
// nodes before them.
package layout
