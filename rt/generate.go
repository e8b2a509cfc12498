package rt

// go generate runs these commands last: they collect the sources of the kernels and of the run time,
// which graphc embeds and other commands generate.
//
//go:generate go run ../internal/sources -root ..
//go:generate go run ../internal/notices -root ..
