package exec_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/ir/sym"
	gpunorm "github.com/graphc/graphc/kernels/gpu/norm"
	"github.com/graphc/graphc/kernels/norm"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// sizes returns a plan with the feeds x f32[B,2] and n i64[1] and the result {B, 2·B, n[0]}.
func sizes() *plan.Plan {
	b, n := sym.Var("B"), sym.Var("n")
	x := &plan.Buf{Name: "x", Place: plan.Fed, DType: tensor.Float32, Len: b.MulInt(2)}
	nb := &plan.Buf{Name: "n", Place: plan.Fed, DType: tensor.Int64, Len: sym.One}
	out := &plan.Buf{Name: "out", DType: tensor.Int64, Len: sym.Int(3)}
	tail := &plan.Buf{Name: "tail", DType: tensor.Int64, Len: sym.Int(2), Alias: out, Off: sym.Int(8)}
	return &plan.Plan{
		Feeds: []plan.Feed{{Name: "x:0", DType: tensor.Float32, Shape: []*sym.Expr{b, sym.Int(2)}, Buf: x},
			{Name: "n:0", DType: tensor.Int64, Shape: []*sym.Expr{sym.One}, Buf: nb}},
		Dims:     []plan.Dim{{Name: "B", Feed: 0, Axis: 0}},
		Prologue: []*plan.Call{{Node: "check", Op: "Check", Fn: shape.AtLeast, Args: []plan.Arg{plan.Int{X: b}, plan.Int{X: sym.One}, plan.Value{V: "the batch"}}}},
		Steps: []plan.Step{
			&plan.Call{Node: "n", Op: "Size", Fn: shape.I64, Rets: []string{"n"}, Args: []plan.Arg{plan.View{Buf: nb, Len: sym.One, Mode: plan.Read}, plan.Int{X: sym.Zero}}},
			&plan.Call{Node: "out", Op: "Pack", Fn: shape.SetI64, Args: []plan.Arg{plan.View{Buf: out, Len: sym.Int(3), Mode: plan.Write}, plan.Ints{X: []*sym.Expr{b, b.MulInt(2), n}}}},
		},
		Fetches: []plan.Fetch{{Name: "out:0", DType: tensor.Int64, Shape: []*sym.Expr{sym.Int(3)}, Buf: out},
			{Name: "tail:0", DType: tensor.Int64, Shape: []*sym.Expr{sym.Int(2)}, Buf: tail}},
	}
}

func TestRun(t *testing.T) {
	x, err := exec.New(sizes())
	if err != nil {
		t.Fatal(err)
	}
	got, err := x.Run(context.Background(), map[string]*tensor.Tensor{
		"x:0": tensor.Must(tensor.From(tensor.Shape{5, 2}, make([]float32, 10))),
		"n:0": tensor.Must(tensor.From(tensor.Shape{1}, []int64{-7}))})
	if err != nil {
		t.Fatal(err)
	}
	if d := tensor.Data[int64](got["out:0"]); len(d) != 3 || d[0] != 5 || d[1] != 10 || d[2] != -7 {
		t.Errorf("out is %v", d)
	}
	if d := tensor.Data[int64](got["tail:0"]); len(d) != 2 || d[0] != 10 || d[1] != -7 {
		t.Errorf("the window of out is %v", d)
	}
}

// TestOperands: a kernel gets operands in its params struct, with nil for a missing operand.
func TestOperands(t *testing.T) {
	x := &plan.Buf{Name: "x", Place: plan.Fed, DType: tensor.Half, Len: sym.Int(2)}
	y := &plan.Buf{Name: "y", DType: tensor.Half, Len: sym.Int(2)}
	read := plan.View{Buf: x, Len: x.Len, Mode: plan.Read}
	p := &plan.Plan{
		Feeds: []plan.Feed{{Name: "x:0", DType: tensor.Half, Shape: []*sym.Expr{x.Len}, Buf: x}},
		Steps: []plan.Step{
			&plan.Copy{Node: "y", Op: "Identity", Dst: plan.View{Buf: y, Len: y.Len, Mode: plan.Write}, Src: read},
			&plan.Call{Node: "y", Op: "Add", Fn: norm.FinishF16, Args: []plan.Arg{plan.View{Buf: y, Len: y.Len, Mode: plan.ReadWrite},
				plan.Lit(norm.FinishParams[tensor.F16]{C: 1}, "Rows", sym.Int(2), "Bias", (*plan.View)(nil), "Res", read)}},
		},
		Fetches: []plan.Fetch{{Name: "y:0", DType: tensor.Half, Shape: []*sym.Expr{y.Len}, Buf: y}},
	}
	program, err := exec.New(p)
	if err != nil {
		t.Fatal(err)
	}
	got, err := program.Run(context.Background(), map[string]*tensor.Tensor{
		"x:0": tensor.Must(tensor.From(tensor.Shape{2}, []tensor.F16{tensor.ToF16(1.5), tensor.ToF16(-2)}))})
	if err != nil {
		t.Fatal(err)
	}
	if d := tensor.Data[tensor.F16](got["y:0"]); d[0].Float32() != 3 || d[1].Float32() != -4 {
		t.Errorf("got %v", d)
	}
}

// TestDeviceOperands: a device kernel gets the addresses of operands in its params struct, with 0
// for a missing operand. The operand may be a buffer of the run, a window of a buffer, or a
// constant.
func TestDeviceOperands(t *testing.T) {
	c := &plan.Const{DType: tensor.Float32, Shape: tensor.Shape{2}, Data: []float32{10, -10}}
	x := &plan.Buf{Name: "x", Place: plan.Fed, DType: tensor.Float32, Len: sym.Int(6)}
	raw := &plan.Buf{Name: "x", Place: plan.Fed, DType: tensor.Uint8, Len: sym.Int(24), Alias: x}
	on := &plan.Buf{Name: "on", Place: plan.Device, DType: tensor.Float32, Len: x.Len}
	beta := &plan.Buf{Name: "beta", Place: plan.DeviceConst, DType: tensor.Float32, Len: sym.Int(2), Const: c}
	p := &plan.Plan{
		Device: "/job:localhost/replica:0/task:0/device:GPU:0",
		Feeds:  []plan.Feed{{Name: "x:0", DType: tensor.Float32, Shape: []*sym.Expr{x.Len}, Buf: x}},
		Consts: []*plan.Const{c},
		Bufs:   []*plan.Buf{x, raw, on, beta},
		Steps:  []plan.Step{&plan.Put{Node: "on", Op: "Put", Dst: plan.View{Buf: on, Len: on.Len, Mode: plan.Write}, Src: plan.View{Buf: raw, Len: raw.Len, Mode: plan.Read}}},
	}
	rows := plan.View{Buf: on, Len: sym.Int(4), Mode: plan.Read}
	gamma, shift := plan.View{Buf: on, Off: sym.Int(4), Len: sym.Int(2), Mode: plan.Read}, plan.View{Buf: beta, Len: beta.Len, Mode: plan.Read}
	for i, o := range []struct{ gamma, beta *plan.View }{{nil, nil}, {&gamma, nil}, {&gamma, &shift}} {
		y := &plan.Buf{Name: "y", Place: plan.Device, DType: tensor.Float32, Len: rows.Len}
		z := &plan.Buf{Name: "z", DType: tensor.Float32, Len: y.Len}
		bytes := &plan.Buf{Name: "z", DType: tensor.Uint8, Len: sym.Int(16), Alias: z}
		p.Bufs = append(p.Bufs, y, z, bytes)
		p.Steps = append(p.Steps,
			&plan.Call{Node: "y", Op: "_LayerNorm", Fn: gpunorm.LayerNormF32, Args: []plan.Arg{plan.Queue{}, plan.View{Buf: y, Len: y.Len, Mode: plan.Write}, rows,
				plan.Lit(gpunorm.LayerParams{C: 2}, "Rows", sym.Int(2), "Gamma", o.gamma, "Beta", o.beta)}},
			&plan.Get{Node: "z", Op: "Get", Dst: plan.View{Buf: bytes, Len: bytes.Len, Mode: plan.Write}, Src: plan.View{Buf: y, Len: y.Len, Mode: plan.Read}})
		p.Fetches = append(p.Fetches, plan.Fetch{Name: fmt.Sprint("z:", i), DType: tensor.Float32, Shape: []*sym.Expr{z.Len}, Buf: z})
	}
	for i, b := range p.Bufs {
		b.ID = i
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	program, err := exec.New(p)
	if err != nil {
		t.Fatal(err)
	}
	got, err := program.Run(context.Background(), map[string]*tensor.Tensor{
		"x:0": tensor.Must(tensor.From(tensor.Shape{6}, []float32{1, 3, 6, 2, 0.5, 4}))})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float32{{-1, 1, 1, -1}, {-0.5, 4, 0.5, -4}, {9.5, -6, 10.5, -14}} {
		if d := tensor.Data[float32](got[fmt.Sprint("z:", i)]); !slices.Equal(d, want) {
			t.Errorf("z:%d is %v, want %v", i, d, want)
		}
	}
}

func TestRefuses(t *testing.T) {
	good := func() map[string]*tensor.Tensor {
		return map[string]*tensor.Tensor{
			"x:0": tensor.Must(tensor.From(tensor.Shape{5, 2}, make([]float32, 10))),
			"n:0": tensor.Must(tensor.From(tensor.Shape{1}, []int64{1}))}
	}
	for name, c := range map[string]struct {
		change func(m map[string]*tensor.Tensor, p *plan.Plan, x *exec.Program)
		code   tensor.Code
		says   string
	}{
		"missing":    {func(m map[string]*tensor.Tensor, _ *plan.Plan, _ *exec.Program) { delete(m, "n:0") }, tensor.InvalidArgument, `feed "n:0" is missing: i64[1]`},
		"unknown":    {func(m map[string]*tensor.Tensor, _ *plan.Plan, _ *exec.Program) { m["y:0"] = m["n:0"] }, tensor.InvalidArgument, "y:0"},
		"wrong type": {func(m map[string]*tensor.Tensor, _ *plan.Plan, _ *exec.Program) { m["n:0"] = m["x:0"] }, tensor.InvalidArgument, `feed "n:0": got f32[5,2], want i64[1]`},
		"wrong shape": {func(m map[string]*tensor.Tensor, _ *plan.Plan, _ *exec.Program) {
			m["x:0"] = tensor.Must(tensor.From(tensor.Shape{2, 5}, make([]float32, 10)))
		}, tensor.InvalidArgument, `feed "x:0": got f32[2,5], want f32[?,2]`},
		"wrong type of the right shape": {func(m map[string]*tensor.Tensor, _ *plan.Plan, _ *exec.Program) {
			m["n:0"] = tensor.Must(tensor.From(tensor.Shape{1}, []float64{1}))
		}, tensor.InvalidArgument, `feed "n:0": got f64[1], want i64[1]`},
		"wrong rank": {func(m map[string]*tensor.Tensor, _ *plan.Plan, _ *exec.Program) {
			m["x:0"] = tensor.Must(tensor.From(tensor.Shape{10}, make([]float32, 10)))
		}, tensor.InvalidArgument, `feed "x:0": got f32[10], want f32[?,2]`},
		"too few elements": {func(m map[string]*tensor.Tensor, _ *plan.Plan, _ *exec.Program) {
			m["x:0"] = &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{5, 2}, Data: make([]float32, 9)}
		}, tensor.InvalidArgument, `feed "x:0": 9 elements given for the shape [5,2]`},
		"elements that wrap around": {func(m map[string]*tensor.Tensor, _ *plan.Plan, _ *exec.Program) {
			m["x:0"] = &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{1 << 62, 2, 2}, Data: []float32{}}
		}, tensor.InvalidArgument, ""},
		"check": {func(m map[string]*tensor.Tensor, _ *plan.Plan, _ *exec.Program) {
			m["x:0"] = tensor.Must(tensor.From(tensor.Shape{0, 2}, []float32{}))
		}, tensor.InvalidArgument, "the batch is 0"},
		"too much memory": {func(_ map[string]*tensor.Tensor, _ *plan.Plan, x *exec.Program) { x.MaxBytes = 16 }, tensor.ResourceExhausted, "out"},
		"read before written": {func(_ map[string]*tensor.Tensor, p *plan.Plan, x *exec.Program) {
			p.Steps = p.Steps[:1]
			y, _ := exec.New(p)
			*x = *y
		}, tensor.Internal, "before it is written"},
	} {
		p := sizes()
		x, err := exec.New(p)
		if err != nil {
			t.Fatal(err)
		}
		m := good()
		c.change(m, p, x)
		if _, err := x.Run(context.Background(), m); tensor.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %v with %q", name, err, c.code, c.says)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x, _ := exec.New(sizes())
	if _, err := x.Run(ctx, good()); tensor.CodeOf(err) != tensor.Cancelled {
		t.Errorf("a cancelled run gives %v", err)
	}
}

func TestNewChecksCalls(t *testing.T) {
	p := sizes()
	c := p.Steps[0].(*plan.Call)
	c.Args = c.Args[:1]
	if _, err := exec.New(p); err == nil || !strings.Contains(err.Error(), "2 parameters") {
		t.Errorf("a call with a missing argument gives %v", err)
	}
	c.Fn = func() {}
	if _, err := exec.New(p); err == nil {
		t.Error("a closure passes for a kernel")
	}
}

// TestAnyShape: an unused feed may have any shape, or be missing.
func TestAnyShape(t *testing.T) {
	p := sizes()
	p.Feeds = append(p.Feeds, plan.Feed{Name: "any:0", DType: tensor.Int64, AnyShape: true})
	p.Ranks = []int{2, 1, -1}
	x, err := exec.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		feed *tensor.Tensor
		want string
	}{
		{nil, ""},
		{tensor.Must(tensor.From(nil, []int64{1})), ""},
		{tensor.Must(tensor.From(tensor.Shape{1, 0, 9}, []int64{})), ""},
		{tensor.Must(tensor.From(tensor.Shape{1}, []int32{1})), `feed "any:0": got i32[1], want i64 of any rank`},
		{&tensor.Tensor{DType: tensor.Int64, Shape: tensor.Shape{2}, Data: []int64{1}}, `feed "any:0": 1 elements given for the shape [2]`},
		{&tensor.Tensor{DType: tensor.Int64, Shape: tensor.Shape{-1}, Data: []int64{1}}, "negative"},
	} {
		feeds := map[string]*tensor.Tensor{
			"x:0": tensor.Must(tensor.From(tensor.Shape{1, 2}, make([]float32, 2))),
			"n:0": tensor.Must(tensor.From(tensor.Shape{1}, []int64{1}))}
		if c.feed != nil {
			feeds["any:0"] = c.feed
		}
		_, err := x.Run(context.Background(), feeds)
		if c.want == "" && err != nil || c.want != "" && (tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %s", c.feed, err, c.want)
		}
	}
}
