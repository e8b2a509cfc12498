package trace

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/strictjson"
	"github.com/graphc/graphc/rt/tensor"
)

// Profile holds the recorded costs of nodes. The compiler reads a profile with its option --profile
// and uses it as a cost model.
type Profile struct {
	// Nodes are sorted by signature, device, node and op.
	Nodes []Cost
}

// Cost is the recorded cost of one node.
type Cost struct {
	Signature string `json:"signature"`
	// Device is the full name of the device on whose host thread the node ran. If the name ends with
	// AllStreams, the cost is that of the node's kernels and copies on the device itself.
	Device string `json:"device"`
	// Node and Op name the node. If one step combines several nodes, they name the first and the
	// last: "dense/MatMul … dense/Relu".
	Node string `json:"node"`
	Op   string `json:"op"`
	Runs int    `json:"runs"` // how many runs contained the node
	// how many times the node was executed or, if the field Device ends with AllStreams, how many
	// kernels and copies the node launched
	Times int   `json:"times"`
	NS    int64 `json:"ns"`    // the total time in nanoseconds
	Bytes int   `json:"bytes"` // the bytes of the outputs of the last execution; 0 if unknown
}

// Mean returns the mean time of one execution of the node.
func (c *Cost) Mean() time.Duration {
	if c.Times == 0 {
		return 0
	}
	return time.Duration(c.NS / int64(c.Times))
}

type costKey struct{ signature, device, node, op string }

type cost struct {
	runs, times, bytes int
	ns                 int64
	// the recorder of the run that last incremented the field runs; nil unless Trace.count is executing
	last *recorder
}

// count adds the steps of a run, and the work of its device, to the costs. The caller holds the lock.
func (t *Trace) count(r *recorder, events []event, sizes map[string]int) {
	var seen []*cost
	once := func(on, node, op string, took time.Duration) *cost {
		k := costKey{r.info.Signature, on, node, op}
		c := t.costs[k]
		if c == nil {
			c = &cost{}
			t.costs[k] = c
		}
		if c.last != r {
			c.last = r
			c.runs++
			seen = append(seen, c)
		}
		c.times++
		c.ns += int64(took)
		return c
	}
	for _, e := range events {
		l := r.table.at(e.step)
		c := once(r.info.Device, l.node, l.op, e.end-e.start)
		c.bytes = 0
		for _, o := range l.outputs(sizes) {
			c.bytes += o.Bytes
		}
	}
	if r.work != nil {
		for _, w := range r.work.Items {
			once(r.info.Device+AllStreams, w.Node, w.Op, w.End-w.Start).bytes = w.Bytes
		}
	}
	for _, c := range seen {
		c.last = nil
	}
}

// Profile returns the costs of the nodes of all runs so far, including runs beyond the limit of t.
func (t *Trace) Profile() *Profile {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &Profile{}
	for k := range maps.Keys(t.costs) {
		c := t.costs[k]
		p.Nodes = append(p.Nodes, Cost{k.signature, k.device, k.node, k.op, c.runs, c.times, c.ns, c.bytes})
	}
	p.sort()
	return p
}

func (p *Profile) sort() {
	slices.SortFunc(p.Nodes, func(a, b Cost) int {
		return cmp.Or(cmp.Compare(a.Signature, b.Signature), cmp.Compare(a.Device, b.Device), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Op, b.Op))
	})
}

// maxProfile bounds the size of a profile in bytes. A node needs about a hundred bytes.
const maxProfile = 256 << 20

// profileVersion is the version of Write's format.
const profileVersion = 1

// Write writes the profile as a JSON object with a line for each node. Equal profiles are written
// as equal bytes.
func (p *Profile) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "{\"graphc_profile\": %d, \"nodes\": [", profileVersion)
	return writeRows(b, "\n  ", p.Nodes)
}

// ReadProfile reads a profile that Write has written. If the list of nodes contains several entries
// for the same node, ReadProfile adds them up. Therefore profiles can be merged by concatenating their
// lists. The error is InvalidArgument for other text, and ResourceExhausted for more than 256 MiB.
func ReadProfile(r io.Reader) (*Profile, error) {
	var file struct {
		Version int    `json:"graphc_profile"`
		Nodes   []Cost `json:"nodes"`
	}
	text, err := io.ReadAll(io.LimitReader(r, maxProfile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxProfile {
		return nil, tensor.Errorf(tensor.ResourceExhausted, "the profile has more than %d bytes", maxProfile)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err = d.Decode(&file); err == nil {
		if _, end := d.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("text follows the JSON object")
		}
	}
	if err == nil {
		err = strictjson.Check(text)
	}
	if err != nil {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the profile cannot be read: %v", err)
	}
	if file.Version != profileVersion {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the profile has version %d, want %d", file.Version, profileVersion)
	}
	p := &Profile{Nodes: file.Nodes}
	for _, c := range p.Nodes {
		if c.Node == "" || c.Runs < 1 || c.Times < c.Runs || c.NS < 0 || c.Bytes < 0 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "the profile has a node %q that is done %d times in %d runs, in %d ns, and makes %d bytes", c.Node, c.Times, c.Runs, c.NS, c.Bytes)
		}
	}
	p.sort()
	all := p.Nodes[:0]
	for _, c := range p.Nodes {
		n := len(all)
		if n > 0 && all[n-1].Signature == c.Signature && all[n-1].Device == c.Device && all[n-1].Node == c.Node && all[n-1].Op == c.Op {
			all[n-1].Runs += c.Runs
			all[n-1].Times += c.Times
			all[n-1].NS += c.NS
			all[n-1].Bytes = max(all[n-1].Bytes, c.Bytes)
			continue
		}
		all = append(all, c)
	}
	p.Nodes = all
	return p, nil
}

// PerRun returns a map from the node name, as in Cost.Node, to the mean time in nanoseconds that the
// node takes in one run. The mean is over the runs of all signatures on all CPUs. The compiler uses
// the map to plan the threads of CPUs. Therefore PerRun leaves out the costs of other devices, both
// those of the work itself and those of the host threads that launch the work.
func (p *Profile) PerRun() map[string]float64 {
	sums := map[string]Cost{}
	for _, c := range p.Nodes {
		if !device.IsCPU(c.Device) {
			continue
		}
		s := sums[c.Node]
		s.NS += c.NS
		s.Runs += c.Runs
		sums[c.Node] = s
	}
	all := make(map[string]float64, len(sums))
	for node, s := range sums {
		all[node] = float64(s.NS) / float64(s.Runs)
	}
	return all
}
