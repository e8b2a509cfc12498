package ops

// debugDefs are ops that debuggers insert.
var debugDefs = []*Def{}
