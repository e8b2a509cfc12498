package ops

// mutexDefs are mutexes.
var mutexDefs = []*Def{}
