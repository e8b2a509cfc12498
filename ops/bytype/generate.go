package bytype

//go:generate go test -vet=off . -run ^TestGPUKernels$ -update-kernels
