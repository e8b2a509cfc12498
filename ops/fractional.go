package ops

// fractionalDefs are pooling over regions of uneven sizes.
var fractionalDefs = []*Def{}
