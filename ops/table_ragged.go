// Package ragged has ragged tensors and crosses of features.
package ops

import "slices"

// raggedFamily describes them.
func raggedFamily() Family {
	return Family{
		Defs: slices.Concat(raggedDefs, crossDefs),
	}
}
