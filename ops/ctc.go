package ops

// ctcDefs are connectionist temporal classification.
var ctcDefs = []*Def{}
