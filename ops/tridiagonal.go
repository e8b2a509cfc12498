package ops

// tridiagonalDefs are banded and tridiagonal systems.
var tridiagonalDefs = []*Def{}
