//go:build emitted

package behaviours

import (
	"bytes"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/behaviours/model"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/program"
)

// serve runs a program that answers requests, one on each line, and checks the answers. Each
// element of talk is a request and a text that its answer must contain.
func serve(t *testing.T, args []string, talk ...[2]string) {
	t.Helper()
	var in, out, errs bytes.Buffer
	for _, l := range talk {
		in.WriteString(l[0] + "\n")
	}
	make := func(opts ...rt.Option) (rt.Program, error) { return model.New(opts...) }
	if code := program.Run(t.Context(), "model", "v1", make, append(args, "-lines"), &in, &out, &errs); code != 0 {
		t.Fatalf("exit status %d: %s", code, &errs)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(talk) {
		t.Fatalf("%d answers, want %d: %s", len(lines), len(talk), &out)
	}
	for i, l := range talk {
		if !strings.Contains(lines[i], l[1]) {
			t.Errorf("%s is answered %s, want %s", l[0], lines[i], l[1])
		}
	}
}

// TestServer checks behaviours of a program that another process uses.
func TestServer(t *testing.T) {
	t.Run("grpc_open_close", func(t *testing.T) {
		for range 2 { // each start of the program has its own variables
			serve(t, nil,
				[2]string{`{"signature": "target", "feeds": {"x": [[1], [1]]}}`, `{"fetches":{"y":[[5],[-1]]}}`},
				[2]string{`{"signature": "op"}`, `{"fetches":{}}`},
				[2]string{`{"signature": "hits"}`, `{"fetches":{"hits":2}}`},
				[2]string{`{"signature": "raw_ref"}`, `{"error":{"code":"FailedPrecondition"`},
				[2]string{`{"signature": "hits"}`, `{"fetches":{"hits":2}}`},
			)
		}
	})
	t.Run("grpc_timeouts", func(t *testing.T) {
		serve(t, []string{"-timeout", "20ms"},
			[2]string{`{"signature": "take"}`, `{"error":{"code":"DeadlineExceeded"`},
			[2]string{`{"signature": "put", "feeds": {"value": 7}}`, `{"fetches":{}}`},
			[2]string{`{"signature": "take"}`, `{"fetches":{"value":7}}`},
		)
	})
	t.Run("grpc_partial_run", func(t *testing.T) {
		serve(t, nil,
			[2]string{`{"partial": "steps"}`, `{"handle":1}`},
			[2]string{`{"partial": "steps"}`, `{"handle":2}`},
			[2]string{`{"partial": "target"}`, `{"error":{"code":"FailedPrecondition"`},
			[2]string{`{"partial": "none"}`, `{"error":{"code":"NotFound"`},
			[2]string{`{"handle": 1, "feeds": {"x": [[1], [1]]}, "fetches": ["y"]}`, `{"fetches":{"y":[[5],[-1]]}}`},
			[2]string{`{"handle": 2, "feeds": {"v": [0, 1, 2, 3]}}`, `{"fetches":{}}`},
			[2]string{`{"handle": 2, "fetches": ["chain", "y"]}`, `{"error":{"code":"InvalidArgument","message":"InvalidArgument: fetch \"y:0\" cannot be computed`},
			[2]string{`{"handle": 2, "feeds": {"x": [[2], [0]]}, "fetches": ["chain", "y"]}`, `{"fetches":{"chain":[0,1024,2048,3072],"y":[[6],[-2]]}}`},
			[2]string{`{"handle": 2, "fetches": ["y"]}`, `the handle is used up`},
			[2]string{`{"handle": 1, "fetches": ["y"]}`, `has already been fetched`},
			[2]string{`{"handle": 1, "feeds": {"x": [[1], [1]]}}`, `has already been fed`},
			[2]string{`{"handle": 1, "feeds": {"words": []}}`, `unknown feed \"words\"`},
			[2]string{`{"handle": 1, "fetches": ["hits"]}`, `was not specified in the setup`},
			[2]string{`{"handle": 1, "fetches": ["chain", "chain:0"]}`, `is asked for twice`},
			[2]string{`{"handle": 1, "partial": "steps"}`, `exclude each other`},
			[2]string{`{"signature": "hits", "fetches": ["hits"]}`, `are for a \"handle\"`},
			[2]string{`{"handle": 1, "close": true}`, `{"fetches":{}}`},
			[2]string{`{"handle": 1}`, `there is no partial run 1`},
			[2]string{`{"signature": "hits"}`, `{"fetches":{"hits":0}}`},
		)
	})
}
