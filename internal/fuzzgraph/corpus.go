package fuzzgraph

import (
	"os"
	"path/filepath"
	"sort"

	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/internal/cases"
)

// Corpus has the cases to mutate.
type Corpus struct {
	Cases  []*cases.Case
	Graphs [][]byte
	Donors []*pb.NodeDef // nodes to add to mutants, from every third graph
}

// maxGraph bounds the size of a graph in bytes.
const maxGraph = 48 << 10

// Find reads the cases below the folders in dirs. It skips a case if its graph is large or not a
// binary GraphDef.
func Find(dirs []string) (*Corpus, error) {
	found, err := cases.Find(dirs)
	if err != nil {
		return nil, err
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Dir < found[j].Dir })
	c := &Corpus{}
	for _, x := range found {
		if x.Err != nil || len(x.Runs) == 0 || filepath.Base(x.ModelPath) != "graph.pb" {
			continue
		}
		raw, err := os.ReadFile(x.ModelPath)
		if err != nil || len(raw) > maxGraph {
			continue
		}
		var g pb.GraphDef
		if len(c.Cases)%3 == 0 && proto.Unmarshal(raw, &g) == nil && len(c.Donors) < 8000 {
			c.Donors = append(c.Donors, g.Node...)
		}
		c.Cases, c.Graphs = append(c.Cases, x), append(c.Graphs, raw)
	}
	return c, nil
}
