package ops

//go:generate go test -vet=off . -run ^TestGPUKernels$ -update-kernels

// The documents that list ops are made of this package.
//
//go:generate go test -vet=off ../cmd/graphc -run ^TestOpsDoc$ -update
//go:generate go test -vet=off ../internal/pipeline -run ^TestGPUOpsDoc$ -update-gpu-ops
