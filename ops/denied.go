package ops

// deniedDefs are ops that no program may run.
var deniedDefs = []*Def{}
