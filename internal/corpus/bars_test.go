package corpus

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/randgraph"
	"github.com/graphc/graphc/internal/testkit"
)

// mostMemory is the limit in KiB for compiling and running a hostile case.
const mostMemory = 1 << 20

// TestBars compiles and runs the hostile cases in child processes. A process must use at most 1 GiB,
// must end and must not panic. The longest CPU time is only logged, because it depends on the load of
// the machine.
func TestBars(t *testing.T) {
	dirs := append(testkit.Sample(t, "hostile"), testkit.SharedCases(t, "hostile")...)
	measured := 0
	for _, m := range randgraph.Modes[:2] {
		var longest randgraph.Verdict
		for _, v := range verify(t, append(m.Args, dirs...)...) {
			if v.PeakKB > 0 {
				measured++
			}
			if v.CPUMS > longest.CPUMS {
				longest = v
			}
			if v.PeakKB > mostMemory {
				t.Errorf("%s: %s takes %d MiB", m.Name, v.Path, v.PeakKB>>10)
			}
			for _, sign := range []string{"panic", "crashed", "no answer after", "Internal: ", "runtime error"} {
				if strings.Contains(v.Reason, sign) || strings.Contains(v.Refusal, sign) {
					t.Errorf("%s: %s: %s %s", m.Name, v.Path, v.Reason, v.Refusal)
				}
			}
		}
		t.Logf("%s: the longest is %s: %d ms of CPU", m.Name, longest.Path, longest.CPUMS)
	}
	if _, err := os.Stat("/proc/self/status"); err == nil && measured == 0 {
		t.Error("the memory of no case is told")
	}
}

// blames matches errors that name their cause: a node with its op, a function, a file that cannot
// be read or is invalid, a checkpoint, or a name that the caller gave.
var blames = regexp.MustCompile(`node "(\\.|[^"\\])+" \(.+\): \w+: .|` +
	`function "(\\.|[^"\\])+": \w+: .|` +
	`^(graph\.pb|graph\.pbtxt|saved_model\.pb|saved_model\.pbtxt|model\.json): \w+: (not a |this is an? |the graph (needs|excludes)|the graph's producer|the SavedModel has no|no meta graph|the collection|the asset|the config|signature ")|` +
	`^DataLoss: .*variables|^OutOfRange: .*variables|^NotFound: .*variables|` +
	`(fetch|feed|target|signature|connection) "|" and as "|^InvalidArgument: the graph has no nodes|is fed more than once|unsupported ops:`)

// checkRefusal checks that the compile error of a case, if it has one, names its cause.
func checkRefusal(t *testing.T, v randgraph.Verdict) {
	t.Helper()
	if v.Refusal != "" && !blames.MatchString(v.Refusal) {
		t.Errorf("%s: the refusal does not say what is to blame: %s", v.Path, v.Refusal)
	}
}
