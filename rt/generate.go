package rt

// This runs last, when the sources of kernels and run time, which graphc embeds, are complete.
//
//go:generate go run ../internal/sources -root ..
//go:generate go run ../internal/notices -root ..
