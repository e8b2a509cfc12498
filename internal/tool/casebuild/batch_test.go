package casebuild

import (
	"context"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// TestBatch: if a plan says that the items of a batch are independent, computing the batch in
// micro-batches does not change the results. The graphs are those of recorded cases, whose feeds become batches.
func TestBatch(t *testing.T) {
	dirs := append(testkit.Sample(t), testkit.SharedCases(t, "models")...)
	if testkit.Long() {
		dirs = append(dirs, testkit.SharedCases(t, "ops", "opencv", "dl4j", "features")...)
	}
	cs, err := cases.Find(dirs)
	if err != nil {
		t.Fatal(err)
	}
	batches := 0
	for _, c := range cs {
		if c.Err != nil || c.ExpectErr {
			continue
		}
		p, feeds := batched(t, c)
		if p == nil || p.Plan == nil || p.Plan.Batch == "" {
			continue
		}
		run := func(size int) (map[string]*tensor.Tensor, error) {
			x, err := exec.New(p.Plan)
			if err != nil {
				t.Fatalf("%s: %v", c.Dir, err)
			}
			x.MicroBatch = size
			return x.Run(context.Background(), feeds)
		}
		whole, err := run(0)
		if err != nil {
			continue // feeds that become batches do not fit together in every graph
		}
		batches++
		for _, size := range []int{1, 2} {
			got, err := run(size)
			if err != nil {
				t.Errorf("%s: micro-batches of %d: %v", c.Dir, size, err)
				continue
			}
			for name, want := range whole {
				if got[name] == nil {
					t.Errorf("%s: micro-batches of %d: %s is missing", c.Dir, size, name)
				} else if err := cases.Compare(got[name], want, max(c.RTol, 1e-4), max(c.ATol, 1e-4)); err != nil {
					t.Errorf("%s: micro-batches of %d: %s: %v", c.Dir, size, name, err)
				}
			}
		}
	}
	t.Logf("%d plans with batches", batches)
	if batches < 150 {
		t.Errorf("%d plans have batches", batches)
	}
}

// batched compiles the graph of the first run of a case for feeds whose dimension 0 is B. It returns
// feeds in which this dimension is three times as long as in the case. The signature is nil if the
// graph does not compile for such feeds.
func batched(t *testing.T, c *cases.Case) (*pipeline.Signature, map[string]*tensor.Tensor) {
	m, err := pipeline.Load([]string{c.ModelPath}, frontend.Options{Config: c.ConfigPath})
	if err != nil {
		return nil, nil
	}
	recorded, _, err := c.LoadRun(0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range c.Runs[0].Feeds {
		if x := recorded[name]; x != nil && x.Rank() > 0 && n == 0 {
			n = x.Shape[0]
		}
	}
	feeds, shapes := map[string]*tensor.Tensor{}, map[string]string{}
	for name, x := range recorded {
		feeds[name] = x
		var dims []string
		for _, d := range x.Shape {
			dims = append(dims, strconv.Itoa(d))
		}
		if n > 0 && x.Rank() > 0 && x.Shape[0] == n {
			feeds[name], dims[0] = thrice(x), "B"
		}
		shapes[name] = strings.Join(dims, ",")
		if o, err := m.Graph.Lookup(name); err == nil && o.Node.Attrs["shape"] != nil {
			o.Node.Attrs["shape"] = ir.PartialShape{UnknownRank: true}
		}
	}
	cc := Options{}.Compiler(c)
	calls, names := cc.calls([]map[string]string{shapes})
	opts := graphc.Options{}
	o, err := flags.Engine(&opts)
	if err != nil {
		t.Fatal(err)
	}
	o.Calls, o.KeepGoing = calls, true
	p, err := pipeline.CompileModel(m, o)
	if err != nil || p.Failed[names[0]] != nil {
		return nil, nil
	}
	return p.Signature(names[0]), feeds
}

// thrice returns a batch that consists of x, the elements of x in reverse order, and x again.
func thrice(x *tensor.Tensor) *tensor.Tensor {
	shape := append(tensor.Shape{3 * x.Shape[0]}, x.Shape[1:]...)
	data := reflect.ValueOf(x.Data)
	out := reflect.MakeSlice(data.Type(), 0, 3*data.Len())
	out = reflect.AppendSlice(out, data)
	for i := data.Len() - 1; i >= 0; i-- {
		out = reflect.Append(out, data.Index(i))
	}
	out = reflect.AppendSlice(out, data)
	return &tensor.Tensor{DType: x.DType, Shape: shape, Data: out.Interface()}
}
