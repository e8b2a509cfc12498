// Package gotypes describes ops whose kernels are the user's Go functions.
package gotypes

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// Ops describes the ops of this family.
func Ops() lower.Family {
	return lower.Family{
		Defs: slices.Concat(goDefs()),
	}
}
