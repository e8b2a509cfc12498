// Package corpus verifies recorded cases, which are graphs with the outputs that TensorFlow
// computed. The command graphc compiles each case in three modes: it interprets the compiled plans,
// interprets them without the optional passes, and emits and runs programs.
package corpus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	// A separate go build makes the command graphc, so go test does not know that these tests
	// depend on the command's sources. Therefore this file imports packages of the command, and the
	// function sources reads the files of cmd/graphc. Otherwise, go test would use cached results
	// after a change of the command.
	"github.com/graphc/graphc/internal/randgraph"
	"github.com/graphc/graphc/internal/testkit"
	_ "github.com/graphc/graphc/internal/tool/build"
	_ "github.com/graphc/graphc/internal/tool/verify"
)

// sources reads the files of cmd/graphc, so that go test does not use cached results if one of
// these files has changed.
func sources(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "cmd", "graphc", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of the command: %v", err)
	}
	for _, f := range files {
		if _, err := os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
}

// verify runs graphc verify and returns the verdicts, keyed by the path of the case.
func verify(t *testing.T, args ...string) map[string]randgraph.Verdict {
	t.Helper()
	sources(t)
	all, err := randgraph.Verify(t.Context(), testkit.Tool(t), randgraph.Mode{}, append([]string{"-j", "2"}, args...))
	if err != nil {
		t.Fatalf("graphc verify %v: %v", args, err)
	}
	vs := map[string]randgraph.Verdict{}
	for _, v := range all {
		vs[v.Path] = v
	}
	return vs
}

// TestSample: every case of the sample passes in every mode.
func TestSample(t *testing.T) {
	dir := testkit.Sample(t)[0]
	for _, m := range randgraph.Modes {
		t.Run(m.Name, func(t *testing.T) {
			if m.Name == "emitted" {
				testkit.NeedLong(t)
			}
			for _, v := range verify(t, append(m.Args, dir)...) {
				if v.Status != "ok" {
					t.Errorf("%s: %s %s", v.Path, v.Status, v.Reason)
				}
				checkRefusal(t, v)
			}
		})
	}
}

// TestWeights: storing weights in a smaller format does not change results if the format represents
// the weights exactly.
func TestWeights(t *testing.T) {
	for _, w := range []string{"f16", "bf16", "int8"} {
		for _, v := range verify(t, append([]string{"--exec", "--weights", w, "--match", "plans.*/weights/"}, testkit.Sample(t)...)...) {
			if v.Status != "ok" {
				t.Errorf("%s: %s: %s %s", w, v.Path, v.Status, v.Reason)
			}
		}
	}
}

// limits lists, for each corpus, the minimum number of cases that must pass and the maximum number
// of cases that may be wrong. A case is wrong if graphc returns other results than TensorFlow, or
// an error with another code. The minimum is the number of cases that passed when the line was last
// changed.
var limits = []struct {
	corpus        string
	passed, wrong int
}{
	{"models", 28, 0},
	{"ops", 2214, 2},
	{"opencv", 41, 0},
	{"dl4j", 608, 2}, // misc/conv_4 and output 5 of fused_batch_norm/float32_nhwc are wrong: they were recorded with oneDNN
	{"passes", 67, 0},
	{"features", 324, 0},
	{"hostile", 723, 1},
}

// refused reports whether a case failed although graphc returned no wrong result. Either graphc
// does not support the case, or the results are right, but the optimized graph does not have the
// structure that the case requires. The parameter reason is the text of the failure.
func refused(reason string) bool {
	return strings.Contains(reason, "Unimplemented: ") || strings.HasPrefix(reason, "structure: ")
}

// spreads are the seeds for random placements.
var spreads = []string{"1", "2"}

// TestSpread: random placements on three devices do not change results, including loops across
// devices.
func TestSpread(t *testing.T) {
	dirs := append(testkit.Sample(t), testkit.SharedCases(t, "models", "features")...)
	if !testkit.Long() {
		spreads = spreads[:1]
	}
	for _, seed := range spreads {
		for _, v := range verify(t, append([]string{"--exec", "--devices", "cpu:0,cpu:1,cpu:2", "--spread", seed}, dirs...)...) {
			if v.Status != "ok" && !strings.HasPrefix(v.Reason, "structure: ") { // a case's conditions on the graph assume one device
				t.Errorf("seed %s: %s: %s %s", seed, v.Path, v.Status, v.Reason)
			}
		}
	}
	if !testkit.Long() {
		return
	}
	for _, v := range verify(t, append([]string{"--devices", "cpu:0,cpu:1,cpu:2", "--spread", "4"}, testkit.Sample(t, "features")...)...) {
		if v.Status != "ok" {
			t.Errorf("emitted: %s: %s %s", v.Path, v.Status, v.Reason)
		}
	}
}

// TestGoldens runs the graphs for which TensorFlow's partitions were recorded, with the devices of the
// recording.
func TestGoldens(t *testing.T) {
	dir := testkit.NeedShared(t, "partition", "goldens")
	for _, mode := range randgraph.Modes[:2] {
		for _, v := range verify(t, append(mode.Args, dir)...) {
			if v.Status != "ok" {
				t.Errorf("%s: %s: %s %s", mode.Name, v.Path, v.Status, v.Reason)
			}
		}
	}
}

// TestShared runs all recorded cases in all modes. A case may fail because graphc lacks an op. The
// variable limits bounds the number of other failures, which must be the same in all modes.
func TestShared(t *testing.T) {
	shared := testkit.NeedShared(t)
	for _, l := range limits {
		t.Run(l.corpus, func(t *testing.T) {
			dir := filepath.Join(shared, "cases", l.corpus)
			var first map[string]randgraph.Verdict
			for _, m := range randgraph.Modes {
				vs := verify(t, append(m.Args, dir)...)
				passed, wrong := 0, 0
				for _, v := range vs {
					checkRefusal(t, v)
					switch {
					case v.Status == "ok":
						passed++
					case !refused(v.Reason):
						wrong++
						t.Logf("%s: %s: %s", m.Name, v.Path, v.Reason)
					}
				}
				t.Logf("%s: %d of %d passed, %d wrong", m.Name, passed, len(vs), wrong)
				if passed < l.passed || wrong > l.wrong {
					t.Errorf("%s: %d passed and %d are wrong, at least %d and at most %d are expected", m.Name, passed, wrong, l.passed, l.wrong)
				}
				if first == nil {
					first = vs
					continue
				}
				for path, v := range vs {
					if f := first[path]; f.Status != v.Status && !refused(f.Reason) {
						t.Errorf("%s: %s with %s (%s), %s with %s (%s)", path, f.Status, randgraph.Modes[0].Name, f.Reason, v.Status, m.Name, v.Reason)
					}
				}
			}
		})
	}
}
