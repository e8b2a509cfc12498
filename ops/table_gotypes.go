// Package gotypes has ops whose kernels are Go functions of the user's.
package ops

import "slices"

// gotypesFamily describes them.
func gotypesFamily() Family {
	return Family{
		Defs: slices.Concat(goDefs()),
	}
}
