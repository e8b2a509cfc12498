package ops

// csvDefs are comma-separated values.
var csvDefs = []*Def{}
