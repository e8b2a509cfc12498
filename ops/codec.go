package ops

// codecDefs are pictures encoded and decoded.
var codecDefs = []*Def{}
