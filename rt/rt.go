package rt

// EnforceVersion is the type for version checks between emitted code and the run time. Emitted
// code has
//
//	rt.EnforceVersion(C - rt.MinVersion)
//	rt.EnforceVersion(rt.MaxVersion - C)
//
// where C is the version of the emitted code. If C is less than MinVersion or greater than
// MaxVersion, one of the two constants is negative and the program does not compile.
type EnforceVersion uint

// MaxVersion is the newest version of emitted code that this run time supports, MinVersion the
// oldest.
const (
	MaxVersion = 10
	MinVersion = 10
)
