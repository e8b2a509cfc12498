package rt

// The first command lists the files that graphc embeds, such as the sources of the kernels and of the
// run time. The commands of other packages generate some of these files. go generate ./... runs those
// commands first, because it processes packages in alphabetical order.
//
//go:generate go run ../internal/sources -root ..
//go:generate go run ../internal/notices -root ..
