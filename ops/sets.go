package ops

// setDefs are sets in the last dimension.
var setDefs = []*Def{}
