package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
)

// TestPrograms runs programs of some recorded cases with hostile feeds.
func TestPrograms(t *testing.T) {
	out := t.TempDir()
	counts, err := run(1, testkit.Times(100, 1500), testkit.Times(3, 24), -1, out, []string{filepath.Join(testkit.Root(t), "testdata", "cases", "ops"), filepath.Join(testkit.Root(t), "testdata", "cases", "features")})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"ran", "usage", "InvalidArgument"} {
		if counts[kind] == 0 {
			t.Errorf("no start ends with %s: %v", kind, counts)
		}
	}
	for kind := range counts {
		if strings.HasPrefix(kind, "BAD") {
			log, _ := os.ReadFile(filepath.Join(out, "log.jsonl"))
			t.Fatalf("%v\n%s", counts, log)
		}
	}
}

// TestJudges checks that the function start accepts the allowed ways in which a program may end,
// and finds each kind of defect.
func TestJudges(t *testing.T) {
	sh, err := filepath.Abs(filepath.Join(t.TempDir(), "p"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ script, kind, bad string }{
		{`echo '{"y": 1}'`, "ran", ""},
		{`echo 'p: InvalidArgument: no' >&2; exit 1`, "InvalidArgument", ""},
		{`echo 'p: no such flag' >&2; exit 2`, "usage", ""},
		{`echo 'p: Internal: no' >&2; exit 1`, "Internal", "internal"},
		{`echo '{"error": "Internal: no"}'`, "ran", "internal"},
		{`echo 'goroutine 1 [running]' >&2; exit 2`, "", "panic"},
		{`exit 3`, "", "exit"},
		{`kill -9 $$`, "", "exit"},
		{`head -c 30000 /dev/zero | tr '\\0' x >&2; exit 1`, "usage", "longtext"},
		{`echo '{"y": '`, "ran", "output"},
	} {
		if err := os.WriteFile(sh, []byte("#!/bin/sh\n"+c.script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		if a := start(sh, nil, nil); a.kind != c.kind || a.bad != c.bad {
			t.Errorf("%s: %q, %q (%s), want %q, %q", c.script, a.kind, a.bad, a.text, c.kind, c.bad)
		}
	}
}
