package ops

// raggedDefs are ragged tensors as values and row splits.
var raggedDefs = []*Def{}
