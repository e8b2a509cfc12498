package ops

// sparseMatrixDefs are sparse matrices in compressed rows.
var sparseMatrixDefs = []*Def{}
