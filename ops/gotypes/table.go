// Package gotypes has ops whose kernels are Go functions of the user's.
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
