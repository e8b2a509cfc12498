package ops

// convMoreDefs are other spellings of convolutions.
var convMoreDefs = []*Def{}
