package ops

// countSparseDefs are counts and crosses given as sparse tensors.
var countSparseDefs = []*Def{}
