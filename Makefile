# Shorthands; everything here is plain go underneath.
.PHONY: build test check generate example cross

build:
	CGO_ENABLED=0 go build -trimpath -o bin/graphc ./cmd/graphc

test:
	go test ./...

# What CI runs, and the generated files compared with what their generators make.
check: generate
	git diff --exit-code -- '*.gen.go' '*_gen.go' '*_amd64.s' '*.pb.go'
	.ci/run

generate:
	go generate ./...

example:
	go generate ./examples/emotion
	CGO_ENABLED=0 go build -o bin/emotion ./examples/emotion
	bin/emotion examples/emotion/astronaut.png

cross:
	for t in linux/arm64 darwin/arm64 windows/amd64 wasip1/wasm; do \
		GOOS=$${t%/*} GOARCH=$${t#*/} go build ./rt/... ./kernels/... ./examples/... || exit 1; \
	done
