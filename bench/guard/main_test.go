package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/benchreport"
)

// write writes the results of a run: graphc's time of case "net" beside two runtimes, and the time of two
// kernels whose roofline is 10 µs.
func write(t *testing.T, us, kernel, short float64) []string {
	t.Helper()
	times := func(us float64) *benchreport.Times { return &benchreport.Times{MinUS: us, MedianUS: us} }
	results, err := json.Marshal([]*benchreport.Case{
		{Name: "net", Threads: map[string]map[string]*benchreport.Times{"1": {"tf": times(200), "ort": times(150), "litert": {Error: "refused"}, "graphc": times(us)}}},
		{Name: "none", Error: "refused"},
	})
	if err != nil {
		t.Fatal(err)
	}
	type call map[string]any
	ops, err := json.Marshal(map[string]any{"case": "/models/net", "level": "avx2", "timed_us": 1000.0, "calls": []call{
		{"kernel": "gemm.F32", "min_us": kernel / 2, "roof_us": 5.0}, {"kernel": "gemm.F32", "min_us": kernel / 2, "roof_us": 5.0}, {"kernel": "short.F32", "min_us": short, "roof_us": 1.0}}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var names []string
	for name, data := range map[string][]byte{"results.json": results, "ops.json": append(ops, '\n')} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return append(names, filepath.Join(dir, "results.json"), filepath.Join(dir, "ops.json"))
}

// TestAgainst: a loss of more than 5 % of a case or of a kernel is reported, unless the kernel is short.
func TestAgainst(t *testing.T) {
	base := filepath.Join(t.TempDir(), "base.json")
	if lost, err := run(nil, base, "", write(t, 100, 20, 2)); lost || err != nil {
		t.Fatal(lost, err)
	}
	for _, c := range []struct {
		us, kernel, short float64
		lost              bool
		says              []string
	}{
		{100, 20, 2, false, []string{"no losses of more than 5 %: 1 cases, 2 kernels"}},
		{104, 20.9, 9, false, []string{"no losses"}},
		{106, 20, 2, true, []string{"net, 1 threads", "1.060 times the baseline's ratio to 2 runtimes"}},
		{100, 25, 2, true, []string{"net, avx2, gemm.F32", "40.0 % of the roofline, 50.0 % in the baseline"}},
		{50, 10, 1, false, []string{"no losses"}},
	} {
		var out bytes.Buffer
		lost, err := run(&out, "", base, write(t, c.us, c.kernel, c.short))
		if err != nil || lost != c.lost {
			t.Errorf("%+v: lost %t, %v", c, lost, err)
		}
		for _, s := range c.says {
			if !strings.Contains(out.String(), s) {
				t.Errorf("%+v: %q is missing in:\n%s", c, s, out.String())
			}
		}
	}
}

// TestRefuses: a baseline of another processor, and wrong arguments, are errors.
func TestRefuses(t *testing.T) {
	files := write(t, 100, 20, 2)
	base := filepath.Join(t.TempDir(), "base.json")
	if err := os.WriteFile(base, []byte(`{"processor": "another"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := run(nil, "", base, files); err == nil || !strings.Contains(err.Error(), `measured on "another"`) {
		t.Error(err)
	}
	for _, args := range [][]string{{"", ""}, {base, base}} {
		if _, err := run(nil, args[0], args[1], files); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
	if _, err := run(nil, base, "", nil); err == nil {
		t.Error("no files: no error")
	}
}

func TestProcessor(t *testing.T) {
	info := "processor : 0\nmodel name\t: AMD EPYC\ncpu family\t: 25\nmodel\t\t: 1\nflags\t\t: sse avx2 fma\n\nprocessor : 1\nmodel name : other\n"
	if got := processorOf(info); !strings.HasPrefix(got, "AMD EPYC, family 25, model 1, ") {
		t.Error(got)
	}
}
