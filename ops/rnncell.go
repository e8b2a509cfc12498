package ops

// rnnCellDefs are cells of recurrent networks as one op.
var rnnCellDefs = []*Def{}
