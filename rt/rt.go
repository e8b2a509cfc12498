package rt

// EnforceVersion is what the versions of emitted code and run time are counted
// in. Emitted code holds
//
//	rt.EnforceVersion(C - rt.MinVersion)
//	rt.EnforceVersion(rt.MaxVersion - C)
//
// where C is the version it was emitted for. One of the constants underflows,
// so the program does not compile, when the two do not fit.
type EnforceVersion uint

// MaxVersion is the newest version of emitted code that this run time serves,
// MinVersion the oldest.
const (
	MaxVersion = 7
	MinVersion = 7
)
