package rt

// The sources that graphc embeds are listed last: what kernels and run time are made of is there then.
//
//go:generate go run ../internal/sources -root ..
