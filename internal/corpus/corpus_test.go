// Package corpus runs recorded cases, graphs with TensorFlow's own outputs,
// through the tool: as emitted programs, as plans in the tool itself, and
// without the optional passes.
package corpus

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	// The tool is built by a process of its own, whose sources the cache of test
	// results does not see: what the tool consists of is imported here, and its
	// own files are read by sources.
	_ "github.com/graphc/graphc"
	_ "github.com/graphc/graphc/codegen"
	_ "github.com/graphc/graphc/internal/caserun"
	_ "github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/testkit"
)

// verdict is what verify says of a case.
type verdict struct {
	Path, Status, Reason string
	Refusal              string // why it did not compile
	CPUMS                int    `json:"cpu_ms"`
	PeakKB               int    `json:"peak_kb"`
}

// sources reads the command's files, so that a change of them runs the tests again.
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

// verify runs graphc verify and returns the verdicts by path.
func verify(t *testing.T, args ...string) map[string]verdict {
	t.Helper()
	sources(t)
	cmd := exec.Command(testkit.Tool(t), append([]string{"verify", "--json", "-j", "2"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if e, ok := err.(*exec.ExitError); err != nil && (!ok || e.ExitCode() != 1) {
		t.Fatalf("graphc verify %v: %v\n%s", args, err, stderr.Bytes())
	}
	vs := map[string]verdict{}
	s := bufio.NewScanner(bytes.NewReader(out))
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		var v verdict
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", s.Bytes(), err)
		}
		if v.Path != "" {
			vs[v.Path] = v
		}
	}
	if len(vs) == 0 {
		t.Fatalf("graphc verify %v tells of no case\n%s", args, stderr.Bytes())
	}
	return vs
}

// modes are the three ways a case is run.
var modes = []struct {
	name string
	args []string
}{
	{"exec", []string{"--exec"}},
	{"noopt", []string{"--exec", "--noopt"}},
	{"emitted", nil},
}

// TestSample: every case of the sample passes in every mode.
func TestSample(t *testing.T) {
	dir := testkit.Sample(t)[0]
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			if m.name == "emitted" {
				testkit.NeedLong(t)
			}
			for _, v := range verify(t, append(m.args, dir)...) {
				if v.Status != "ok" {
					t.Errorf("%s: %s %s", v.Path, v.Status, v.Reason)
				}
				checkRefusal(t, v)
			}
		})
	}
}

// TestWeights: weights that fewer bits hold exactly give the same answers when
// they are stored so.
func TestWeights(t *testing.T) {
	for _, w := range []string{"f16", "bf16", "int8"} {
		for _, v := range verify(t, append([]string{"--exec", "--weights", w, "--match", "plans.*/weights/"}, testkit.Sample(t)...)...) {
			if v.Status != "ok" {
				t.Errorf("%s: %s: %s %s", w, v.Path, v.Status, v.Reason)
			}
		}
	}
}

// limits bound, by corpus, the cases that fail for another reason than a
// refusal: an answer that differs, or a refusal with another code. passed is
// what passed when the line was last changed; fewer is a loss.
var limits = []struct {
	corpus        string
	passed, wrong int
}{
	{"models", 28, 0},
	{"ops", 2214, 2},
	{"opencv", 41, 0},
	{"dl4j", 608, 2}, // two are recorded with oneDNN: misc/conv_4 and output 5 of fused_batch_norm/float32_nhwc
	{"passes", 67, 0},
	{"features", 324, 0},
	{"hostile", 723, 1},
}

// refused reports a case that graphc says it cannot compile yet, or whose answers
// are right and whose structure is not what a better optimiser would leave.
func refused(reason string) bool {
	return strings.Contains(reason, "Unimplemented: ") || strings.HasPrefix(reason, "structure: ")
}

// spreads are the seeds by which nodes are put on devices at random.
var spreads = []string{"1", "2"}

// TestSpread: the answers are the same when nodes are spread at random over three
// devices, loops across devices included.
func TestSpread(t *testing.T) {
	dirs := append(testkit.Sample(t), testkit.SharedCases(t, "models", "features")...)
	if !testkit.Long() {
		spreads = spreads[:1]
	}
	for _, seed := range spreads {
		for _, v := range verify(t, append([]string{"--exec", "--devices", "cpu:0,cpu:1,cpu:2", "--spread", seed}, dirs...)...) {
			if v.Status != "ok" && !strings.HasPrefix(v.Reason, "structure: ") { // which holds for one device
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

// TestGoldens runs the graphs that partitions were recorded of, on the devices they were
// recorded with.
func TestGoldens(t *testing.T) {
	dir := testkit.NeedShared(t, "partition", "goldens")
	for _, mode := range modes[:2] {
		for _, v := range verify(t, append(mode.args, dir)...) {
			if v.Status != "ok" {
				t.Errorf("%s: %s: %s %s", mode.name, v.Path, v.Status, v.Reason)
			}
		}
	}
}

// TestShared runs all recorded cases there are. A case may fail because graphc
// lacks an op and says so; answers must not differ, and the modes must agree.
func TestShared(t *testing.T) {
	shared := testkit.NeedShared(t)
	for _, l := range limits {
		t.Run(l.corpus, func(t *testing.T) {
			dir := filepath.Join(shared, "cases", l.corpus)
			var first map[string]verdict
			for _, m := range modes {
				vs := verify(t, append(m.args, dir)...)
				passed, wrong := 0, 0
				for _, v := range vs {
					checkRefusal(t, v)
					switch {
					case v.Status == "ok":
						passed++
					case !refused(v.Reason):
						wrong++
						t.Logf("%s: %s: %s", m.name, v.Path, v.Reason)
					}
				}
				t.Logf("%s: %d of %d passed, %d wrong", m.name, passed, len(vs), wrong)
				if passed < l.passed || wrong > l.wrong {
					t.Errorf("%s: %d passed and %d are wrong, at least %d and at most %d are expected", m.name, passed, wrong, l.passed, l.wrong)
				}
				if first == nil {
					first = vs
					continue
				}
				for path, v := range vs {
					if f := first[path]; f.Status != v.Status && !refused(f.Reason) {
						t.Errorf("%s: %s with %s (%s), %s with %s (%s)", path, f.Status, modes[0].name, f.Reason, v.Status, m.name, v.Reason)
					}
				}
			}
		})
	}
}
