package ops

// readerDefs are readers of files.
var readerDefs = []*Def{}
