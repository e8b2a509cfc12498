// Package diff finds the first node, or the first edit of a pass, that makes a case's outputs differ: graphc diff.
package diff
