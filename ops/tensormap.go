package ops

// tensorMapDefs are maps from tensors to tensors.
var tensorMapDefs = []*Def{}
