# Shorthands for go commands.
.PHONY: build test check lint staticcheck generate example cross fuzz mutants randgraph cover net

STATICCHECK = go run honnef.co/go/tools/cmd/staticcheck@v0.8.2

build:
	CGO_ENABLED=0 go build -trimpath -o bin/graphc ./cmd/graphc

test:
	go test ./...

# Everything that CI can run: .ci/run alone runs one long suite only.
check:
	.ci/run all

lint:
	test -z "$$(git ls-files '*.go' | xargs gofmt -l)"
	go vet ./...
	$(MAKE) -s staticcheck
	go run ./internal/vet ./...

staticcheck:
	$(STATICCHECK) ./...

# Runs every fuzz target for FUZZTIME, a duration or a number of inputs such as 20x.
FUZZTIME ?= 1m
fuzz:
	@go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./... | while read -r pkg; do \
		dir=$$(go list -f '{{.Dir}}' $$pkg); \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$dir/*_test.go); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done

# Removes each check of docs/checks.md in turn and runs the test that must then fail.
mutants:
	GRAPHC_LONG=1 go test ./internal/mutants -timeout=1h -mutants

# Coverage of "go test ./..." by package, in its own processes and in those of the tool
# that it builds. Generated code of protocol buffers is excluded.
COVERED = $$(go list ./... | grep -v '/examples\|/internal/hammer\|/internal/behaviours\|/internal/partial\|/internal/accelerated\|/frontend/pb$$')
cover:
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && mkdir "$$dir/data" && \
	GRAPHC_COVERDIR="$$dir/data" go test -count=1 -timeout=1h -coverpkg="$$(echo $(COVERED) | tr ' ' ',')" -coverprofile="$$dir/tests" ./... > "$$dir/log" || { grep -v '^ok' "$$dir/log"; exit 1; }; \
	go tool covdata textfmt -i="$$dir/data" -o="$$dir/children" && \
	go run ./internal/coverage --without '/frontend/pb/|/internal/(hammer|behaviours|partial|accelerated)/' "$$dir/tests" "$$dir/children"

generate:
	go generate ./...

# Lists recorded cases whose emitted sources have changed since "scripts/net save".
net:
	scripts/net

example:
	go generate ./examples/emotion
	CGO_ENABLED=0 go build -o bin/emotion ./examples/emotion
	bin/emotion examples/emotion/astronaut.png

cross:
	for t in linux/arm64 darwin/arm64 windows/amd64 wasip1/wasm; do \
		GOOS=$${t%/*} GOARCH=$${t#*/} go build ./rt/... ./kernels/... ./examples/... || exit 1; \
	done

# Compares GRAPHS random graphs with TensorFlow, which PYTHON must have; see docs/random-graphs.md.
PYTHON ?= python3
GRAPHS ?= 1200
SEED ?= 1
randgraph:
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && go build -o "$$dir/graphc" ./cmd/graphc && "$$dir/graphc" ops --json > "$$dir/ops.json" && \
	$(PYTHON) internal/randgraph/generate.py --ops "$$dir/ops.json" --seed $(SEED) --count $$(($(GRAPHS) / 3)) --out "$$dir" && \
	go run ./internal/randgraph/check --tool "$$dir/graphc" "$$dir"/*.zip
