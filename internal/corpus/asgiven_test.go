package corpus

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
)

// lacking has, for each corpus, the largest number of cases that may fail with Unimplemented
// because no shapes are given for their feeds. In these cases, the rank of a tensor depends on the
// length of a fed vector.
var lacking = map[string]int{"models": 1, "ops": 16, "opencv": 0, "dl4j": 5, "passes": 0, "features": 0, "hostile": 35, "sample": 7}

// TestAsGiven runs the cases without adding shapes to their feeds, as if a user compiled the graph
// without options. A case that passes with added shapes must also pass without them, or be rejected
// because a rank is unknown.
func TestAsGiven(t *testing.T) {
	testkit.NeedLong(t)
	dirs := map[string]string{"sample": testkit.Sample(t)[0]}
	for _, l := range limits {
		for _, dir := range testkit.SharedCases(t, l.corpus) {
			dirs[l.corpus] = dir
		}
	}
	for _, corpus := range slices.Sorted(maps.Keys(dirs)) {
		dir := dirs[corpus]
		t.Run(corpus, func(t *testing.T) {
			wrong, lacks := 0, 0
			for _, v := range verify(t, "--exec", "--as-given", dir) {
				for _, sign := range []string{"panic", "crashed", "no answer after", "Internal: "} {
					if strings.Contains(v.Reason, sign) || strings.Contains(v.Refusal, sign) {
						t.Errorf("%s: %s %s", v.Path, v.Reason, v.Refusal)
					}
				}
				switch {
				case v.Status == "ok":
				case strings.Contains(v.Reason, "Unimplemented: "):
					lacks++
				case strings.Contains(v.Reason, "must be refused when compiled, was when run"): // fewer shapes are known, so some errors occur only in the run
				default:
					wrong++
					t.Logf("%s: %s", v.Path, v.Reason)
				}
			}
			most := 0
			for _, l := range limits {
				if l.corpus == corpus {
					most = l.wrong
				}
			}
			if lacks > lacking[corpus] || wrong > most {
				t.Errorf("%d are refused as Unimplemented and %d are wrong, at most %d and %d are expected", lacks, wrong, lacking[corpus], most)
			}
		})
	}
}
