// Package layout has rewrites of reshapes and transpositions.
package layout
