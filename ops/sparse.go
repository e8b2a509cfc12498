package ops

// sparseDefs are sparse tensors as three tensors: indices, values and dense shape.
var sparseDefs = []*Def{}
