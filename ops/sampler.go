package ops

// samplerDefs are candidate samplers.
var samplerDefs = []*Def{}
