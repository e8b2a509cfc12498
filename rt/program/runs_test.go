package program

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// counter is a program with state. Its signature add adds x to a sum, and its signature sum returns
// the sum.
type counter struct{ sum float32 }

var addSig = rt.Signature{Name: "add", Method: "Add",
	Feeds: []rt.Port{{Name: "x:0", Key: "x", Field: "X", DType: tensor.Float32, Shape: []int{}}}}

var sumSig = rt.Signature{Name: "sum", Method: "Sum",
	Fetches: []rt.Port{{Name: "y:0", Key: "y", Field: "Y", DType: tensor.Float32, Shape: []int{}}}}

func (*counter) Signatures() []*rt.Signature { return []*rt.Signature{&addSig, &sumSig} }

func (c *counter) Run(ctx context.Context, sig string, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	b, err := c.Bind(sig, feeds)
	return rt.RunBound(ctx, b, err)
}

func (c *counter) Bind(sig string, feeds map[string]*tensor.Tensor) (*rt.Bound, error) {
	switch sig {
	case "add":
		if err := addSig.CheckFeeds(feeds); err != nil {
			return nil, err
		}
		return &rt.Bound{Signature: &addSig, Run: func(context.Context) error {
			c.sum += feeds["x:0"].Data.([]float32)[0]
			return nil
		}, Fetches: func() map[string]*tensor.Tensor { return nil }}, nil
	case "sum":
		y := tensor.Must(tensor.New(tensor.Float32, nil, 0))
		return &rt.Bound{Signature: &sumSig, Run: func(context.Context) error {
			y.Data.([]float32)[0] = c.sum
			return nil
		}, Fetches: func() map[string]*tensor.Tensor { return map[string]*tensor.Tensor{"y:0": y} }}, nil
	}
	return nil, rt.UnknownSignature(c, sig)
}

// TestRuns runs signatures in order on one instance.
func TestRuns(t *testing.T) {
	for _, c := range []struct {
		args, stdin string
		code        int
		want        string // a part of the output or of the error
	}{
		{"-run add -feed x=2 -run Add*3 -feed x=4 -run sum", "", exitOK, "{}\n{}\n{\n  \"y\": 14\n}\n"},
		{"-format text -run add -feed x=2 -run sum", "", exitOK, "add: done\ny f32[]: 2\n"},
		{"-feed x=2", "", exitOK, "{}\n"},
		{"-run add*0", "", exitUsage, `"0" is not a number of runs`},
		{"-run sum -feed x=2", "", exitUsage, `unknown feed "x"; feeds: none`},
		{"-feed x=2 -run add", "", exitUsage, "give it after the --run"},
		{"-run add -feed x=2 -signature sum", "", exitUsage, "exclude each other"},
		{"-run sum -bench 3", "", exitUsage, "time one signature"},
		{"-run nothing", "", exitUsage, `nothing`},
		{"-lines", `{"signature": "add", "feeds": {"x": 2}}

{"feeds": {"x:0": 3}}
{"signature": "sum"}`, exitOK, "{\"fetches\":{}}\n{\"fetches\":{}}\n{\"fetches\":{\"y\":5}}\n"},
		{"-lines", `{"signature": "mul"}
{"feed": {}}
{"feeds": {"x": [[1, 2], [3]]}}
{"feeds": {"z": 1}}
{"signature": "sum"} {}
{"signature": "sum"}`, exitOK, `{"error":{"code":"NotFound","message":"NotFound: unknown signature \"mul\"; there are: \"add\", \"sum\""}}
{"error":{"code":"InvalidArgument","message":"InvalidArgument: json: unknown field \"feed\""}}
{"error":{"code":"InvalidArgument","message":"InvalidArgument: feed \"x\": lists of different lengths"}}
{"error":{"code":"InvalidArgument","message":"InvalidArgument: unknown feed \"z\"; feeds: \"x\""}}
{"error":{"code":"InvalidArgument","message":"InvalidArgument: want one object per line"}}
{"fetches":{"y":0}}
`},
		{"-lines -run sum", "", exitUsage, "--lines and --run exclude each other: standard input says what to run"},
	} {
		var out, errs bytes.Buffer
		cmd := &command{name: "counter", in: strings.NewReader(c.stdin), out: &out, err: &errs,
			make: func(...rt.Option) (rt.Program, error) { return &counter{}, nil }}
		code := cmd.run(context.Background(), strings.Fields(c.args))
		got := out.String()
		if code != exitOK {
			got = errs.String()
		}
		if code != c.code || !strings.Contains(got, c.want) || code == exitOK && got != c.want {
			t.Errorf("%s: %d, %s%s", c.args, code, out.String(), errs.String())
		}
	}
}
