package ops

// sparseSerialDefs are sparse tensors as strings and variants.
var sparseSerialDefs = []*Def{}
