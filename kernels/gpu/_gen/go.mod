module github.com/graphc/graphc/kernels/gpu/_gen

go 1.26.0
