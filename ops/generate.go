package ops

// The documents that list ops and settings are generated from this package and from packages that
// import it.
//go:generate go test -vet=off ../internal/tool/lists -run ^TestOpsDoc$ -update
//go:generate go test -vet=off ../internal/pipeline -run ^Test(GPUOps|Settings)Doc$ -update-gpu-ops -update
//go:generate go test -vet=off ../internal/mutants -run ^TestDoc$ -update
//go:generate go test -vet=off ../internal/config -run ^TestSchema$ -update
