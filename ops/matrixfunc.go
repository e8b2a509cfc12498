package ops

// matrixFuncDefs are functions of matrices.
var matrixFuncDefs = []*Def{}
