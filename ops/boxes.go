package ops

// boxDefs are boxes drawn, sampled, cropped and proposed.
var boxDefs = []*Def{}
