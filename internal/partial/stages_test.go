//go:build emitted

package partial

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/pipeline"
)

// TestStages checks which feeds each fetch of a partial run needs. It also checks into how many
// parts, which run separately, the signature is divided.
func TestStages(t *testing.T) {
	for _, c := range []struct {
		feeds, fetches string
		want           string // for each fetch: its name, "<", and the feeds and sizes that it needs
		parts          int
	}{
		{feeds: "a:0 b:0 c:0", fetches: "r1:0 r2:0 seven:0", want: "r1:0 < a:0 b:0; r2:0 < a:0 b:0 c:0; seven:0 <", parts: 3},
		// The fetch of a fed tensor, here a:0, needs only the feed of this tensor. Nodes that
		// depend on a fed tensor, here r1:0, do not need the inputs of the node that would compute
		// it.
		{feeds: "a:0 r1:0 c:0", fetches: "a:0 r2:0", want: "a:0 < a:0; r2:0 < c:0 r1:0", parts: 2},
		// The result of a conditional needs the feeds of both branches and of the condition.
		{feeds: "pred:0 x:0 y:0", fetches: "branch:0 only_x:0", want: "branch:0 < pred:0 x:0 y:0; only_x:0 < pred:0 x:0", parts: 2},
		// The steps of a loop are not separated: all of the loop needs the feeds of all its inputs.
		{feeds: "n:0 start:0 step:0 after:0", fetches: "start3:0 total:0 total_after:0", want: "start3:0 < start:0; total:0 < n:0 start:0 step:0; total_after:0 < after:0 n:0 start:0 step:0", parts: 3},
		// A control edge makes read_times run after the node that adds "by".
		{feeds: "by:0 times:0", fetches: "after_add:0 read_times:0 v_now:0", want: "after_add:0 < by:0; read_times:0 < by:0 times:0; v_now:0 <", parts: 3},
		// The shape of q needs only the feed q. The fourth part computes no fetch; it has the nodes
		// that need p and w, but not q.
		{feeds: "p:0 q:0 w:0", fetches: "q_shape:0 p2:0 rows:0", want: "q_shape:0 < q:0; p2:0 < p:0; rows:0 < p:0 q:0 w:0", parts: 4},
		{feeds: "u:0 z:0", fetches: "vals:0 picked:0", want: "vals:0 < u:0; picked:0 < u:0 z:0", parts: 2},
	} {
		p, err := pipeline.Compile([]string{"testdata/steps.pbtxt"}, pipeline.Options{Feeds: strings.Fields(c.feeds), Fetches: strings.Fields(c.fetches),
			Partial: true, SoftPlacement: true})
		if err != nil {
			t.Error(err)
			continue
		}
		pl := p.Signatures[0].Plan
		if err := pl.Check(); err != nil {
			t.Error(err)
		}
		got := make([]string, len(pl.Fetches))
		for _, q := range pl.Parts {
			var needs []string
			for _, i := range q.Needs {
				needs = append(needs, pl.Feeds[i].Name)
			}
			slices.Sort(needs)
			for _, i := range q.Gives {
				got[i] = strings.TrimRight(fmt.Sprintf("%s < %s", pl.Fetches[i].Name, strings.Join(append(needs, q.Sizes...), " ")), " ")
			}
		}
		if g := strings.Join(got, "; "); g != c.want || len(pl.Parts) != c.parts {
			t.Errorf("%s: %d parts, %s\nwant %d, %s", c.fetches, len(pl.Parts), g, c.parts, c.want)
		}
	}
	_, err := pipeline.Compile([]string{"testdata/steps.pbtxt"}, pipeline.Options{Feeds: []string{"sw:1"}, Fetches: []string{"on:0"}, Partial: true, SoftPlacement: true})
	if err == nil || !strings.Contains(err.Error(), "a signature for partial runs needs known ranks") {
		t.Errorf("a feed of any rank: %v", err)
	}
}
