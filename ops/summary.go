package ops

// summaryDefs are summaries.
var summaryDefs = []*Def{}
