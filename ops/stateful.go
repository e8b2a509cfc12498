package ops

// statefulRandomDefs are random numbers of a generator kept in a variable.
var statefulRandomDefs = []*Def{}
