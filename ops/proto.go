package ops

// protoDefs are tensors, examples and messages as bytes.
var protoDefs = []*Def{}
