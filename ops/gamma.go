package ops

// gammaDefs are random gamma, Poisson, binomial and truncated normal numbers.
var gammaDefs = []*Def{}
