package ops

// audioDefs are sound encoded, decoded and analysed.
var audioDefs = []*Def{}
