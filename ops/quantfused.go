package ops

// quantFusedDefs are quantized products and convolutions with what follows them.
var quantFusedDefs = []*Def{}
