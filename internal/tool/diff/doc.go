// Package diff implements graphc diff. It finds the first node, or the first edit of a pass, that makes the
// outputs of a case differ from the recorded ones.
package diff
