package ops

// fileDefs are files.
var fileDefs = []*Def{}
