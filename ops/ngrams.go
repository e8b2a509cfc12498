package ops

// ngramDefs are n-grams, fingerprints and edit distance.
var ngramDefs = []*Def{}
