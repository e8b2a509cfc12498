# Shorthands; everything here is plain go underneath.
.PHONY: build test check lint generate example cross fuzz mutants randgraph cover

STATICCHECK = go run honnef.co/go/tools/cmd/staticcheck@v0.8.2

build:
	CGO_ENABLED=0 go build -trimpath -o bin/graphc ./cmd/graphc

test:
	go test ./...

# What CI runs, the linter, and the generated files compared with what their
# generators make.
check: lint generate
	git diff --exit-code -- '*.gen.go' '*_amd64.s' '*.pb.go' '*_kernels.go'
	.ci/run

lint:
	test -z "$$(git ls-files '*.go' | xargs gofmt -l)"
	go vet ./...
	$(STATICCHECK) ./...

# Every fuzz target for FUZZTIME, a duration or a number of inputs such as 20x.
FUZZTIME ?= 1m
fuzz:
	@go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./... | while read -r pkg; do \
		dir=$$(go list -f '{{.Dir}}' $$pkg); \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$dir/*_test.go); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done

# Takes every check of docs/checks.md out and runs the test that must fail then.
mutants:
	go test ./internal/mutants -timeout=1h -mutants

# Statements that tests run, by package: those of all packages' tests, and of graphc
# verify over the cases of testdata. Generated code of protocol buffers is left out.
COVERED = $$(go list ./... | grep -v '/examples\|/internal/hammer\|/internal/behaviours\|/internal/partial\|/internal/accelerated/\|/frontend/pb$$')
cover:
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && mkdir "$$dir/data" && \
	go test -count=1 -short -timeout=1h -coverpkg="$$(echo $(COVERED) | tr ' ' ',')" -coverprofile="$$dir/tests" ./... > "$$dir/log" || { grep -v '^ok' "$$dir/log"; exit 1; }; \
	go build -cover -coverpkg=./... -o "$$dir/graphc" ./cmd/graphc && \
	for mode in "" --noopt; do GOCOVERDIR="$$dir/data" "$$dir/graphc" verify --exec $$mode testdata/cases > "$$dir/log" || { tail "$$dir/log"; exit 1; }; done; \
	go tool covdata textfmt -i="$$dir/data" -o="$$dir/verify" && \
	go run ./internal/coverage -without '/frontend/pb/' "$$dir/tests" "$$dir/verify"

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

# GRAPHS random graphs against TensorFlow, which PYTHON must have; see docs/random-graphs.md.
PYTHON ?= python3
GRAPHS ?= 1200
SEED ?= 1
randgraph:
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && go build -o "$$dir/graphc" ./cmd/graphc && "$$dir/graphc" ops --json > "$$dir/ops.json" && \
	$(PYTHON) internal/randgraph/generate.py --ops "$$dir/ops.json" --seed $(SEED) --count $$(($(GRAPHS) / 3)) --out "$$dir" && \
	go run ./internal/randgraph/check -tool "$$dir/graphc" "$$dir"/*.zip
