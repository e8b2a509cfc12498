package passes

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
	"golang.org/x/tools/txtar"
)

// overDevices puts node i on cpu:i%n.
func overDevices(n int) func(*ir.Graph) error {
	return func(g *ir.Graph) error {
		for i, m := range g.Nodes {
			m.Device = fmt.Sprintf("/job:localhost/replica:0/task:0/device:CPU:%d", i%n)
		}
		return nil
	}
}

const wholeLoop = `graph "g" producer=1000
feed "x:0" = x:0 key="x" shape=[B,4]
fetch "y:0" = y:0 key="y"
fetch "w:1" = w:1 key="w"
node x = Placeholder() {dtype=f32, shape=shape[?,4]} -> f32[*]
node zero = Const() {dtype=i32, value=i32[]{0}} -> i32[*]
node three = Const() {dtype=f32, value=f32[]{3}} -> f32[*]
node same = Identity(x:0) {T=f32} -> f32[*]
node six = Add(three:0, three:0) {T=f32} -> f32[*]
node y = Mul(same:0, six:0) {T=f32} -> f32[*]
node w = While(zero:0, x:0) {T=types[i32, f32], cond=@c, body=@b} -> i32[*]; f32[*]

func c(i i32, v f32) -> (r bool)
  body "c" producer=1000
  node i = _Arg() {T=i32, index=0} -> i32[*]
  node v = _Arg() {T=f32, index=1} -> f32[*]
  node k = Const() {dtype=i32, value=i32[]{5}} -> i32[*]
  node p = Less(i:0, k:0) {T=i32} -> bool[*]
  node r = _Retval(p:0) {T=bool, index=0}
end

func b(i i32, v f32) -> (r i32, s f32)
  body "b" producer=1000
  node i = _Arg() {T=i32, index=0} -> i32[*]
  node v = _Arg() {T=f32, index=1} -> f32[*]
  node one = Const() {dtype=i32, value=i32[]{1}} -> i32[*]
  node j = Add(i:0, one:0) {T=i32} -> i32[*]
  node f = Const() {dtype=f32, value=f32[]{-1}} -> f32[*]
  node e = Exp(f:0) {T=f32} -> f32[*]
  node t = Mul(v:0, e:0) {T=f32} -> f32[*]
  node r = _Retval(j:0) {T=i32, index=0}
  node s = _Retval(t:0) {T=f32, index=1}
end
`

// TestWhole optimises a graph whose nodes are on several devices. It checks that every node keeps
// its device and that each new node has a device. RunWhole must run only passes with Whole set, and
// RunPart must then run the remaining passes.
func TestWhole(t *testing.T) {
	whole := map[string]bool{}
	for _, p := range Table() {
		whole[p.Name] = p.Whole || p.Phase != Optimise
	}
	for _, n := range []int{1, 2, 3} {
		g := parse(t, []byte(wholeLoop))
		on := map[*ir.Node]string{}
		o := edit.Options{Ops: ops.Ops(), Eval: eval, Check: true, Place: func(g *ir.Graph) error {
			err := overDevices(n)(g)
			for _, m := range g.Nodes {
				on[m] = m.Device
			}
			return err
		}}
		var ran []string
		o.Dump = func(pass string, g *ir.Graph) {
			ran = append(ran, pass)
			for _, m := range g.Nodes {
				if m.Device == "" && len(on) > 0 {
					t.Errorf("%d devices, after %s: %s stands nowhere", n, pass, m.Name)
				}
				if d, ok := on[m]; ok && d != m.Device {
					t.Errorf("%d devices, after %s: %s went from %s to %s", n, pass, m.Name, d, m.Device)
				}
			}
		}
		if err := RunWhole(g, o); err != nil {
			t.Fatal(err)
		}
		others := slices.ContainsFunc(ran, func(p string) bool { name, _, _ := strings.Cut(p, "."); return !whole[name] })
		if others != (n == 1) {
			t.Errorf("%d devices: these ran: %v", n, ran)
		}
		if got := len(Devices(g)); got != n {
			t.Errorf("%d devices left of %d", got, n)
		}
		if g.Node("six") != nil || g.Node("same") != nil || g.Node("w/body/e") != nil {
			t.Errorf("%d devices: what is known was not computed:\n%s", n, g.Text(ir.PrintOptions{}))
		}
		ran = nil
		for _, m := range g.Nodes {
			m.Device = "/job:localhost/replica:0/task:0/device:CPU:0"
		}
		on = map[*ir.Node]string{}
		if err := RunPart(g, o); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(ran, "reshape") || !slices.Contains(ran, "fusebias") || slices.Contains(ran, "prune") {
			t.Errorf("of the partition: these ran: %v", ran)
		}
	}
}

// TestWholeKeepsDevices runs each Whole pass on the graphs of its goldens, spread over three
// devices in several ways.
func TestWholeKeepsDevices(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]Pass{}
	for _, p := range Table() {
		if p.Whole {
			table[p.Name] = p
		}
	}
	changes := map[string]int{}
	for _, file := range files {
		p, ok := table[filepath.Base(filepath.Dir(file))]
		if !ok {
			continue
		}
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(4) {
			g := parse(t, section(a, "in"))
			r := rand.New(rand.NewPCG(seed, 1))
			on := map[*ir.Node]string{}
			for _, n := range g.Nodes {
				n.Device = fmt.Sprintf("/job:localhost/replica:0/task:0/device:CPU:%d", r.IntN(3))
				on[n] = n.Device
			}
			s := edit.NewState(g, edit.Options{Ops: ops.Ops(), Eval: eval, Check: true})
			did, err := one(s, p, 1)
			if err != nil {
				continue // the golden expects an error, or its graph lacks parts that Run adds before the pass
			}
			if did {
				changes[p.Name]++
			}
			for _, n := range g.Nodes {
				if d, was := on[n]; n.Device == "" || was && n.Device != d {
					t.Errorf("%s, seed %d: %s is on %q, it was on %q", file, seed, n.Name, n.Device, d)
				}
			}
		}
	}
	for name := range table {
		if name != "sizes" && changes[name] == 0 {
			t.Errorf("pass %s changed no graph: it needs a golden in testdata", name)
		}
	}
}

// TestPlaceUnpruned: Options.PlaceUnpruned decides whether unneeded nodes must be placed.
func TestPlaceUnpruned(t *testing.T) {
	const text = `graph "g" producer=1000
feed "x:0" = x:0 key="x" shape=[]
fetch "y:0" = y:0 key="y"
node x = Placeholder() {dtype=f32, shape=shape[]} -> f32[*]
node y = Neg(x:0) {T=f32} -> f32[*]
node z = f(x:0) -> f32[*]

func f(a f32) -> (r f32)
  body "f" producer=1000
  node a = _Arg() {T=f32, index=0} -> f32[*]
  node b = Neg(a:0) {T=f32} on "/gpu:0" -> f32[*]
  node r = _Retval(b:0) {T=f32, index=0}
end
`
	if err := Run(parse(t, []byte(text)), edit.Options{Ops: ops.Ops()}); err != nil {
		t.Error(err)
	}
	err := Run(parse(t, []byte(text)), edit.Options{Ops: ops.Ops(), PlaceUnpruned: true})
	if tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), `"z/b"`) {
		t.Errorf("unpruned: got %v", err)
	}
	used := strings.Replace(text, `"y:0" = y:0`, `"z:0" = z:0`, 1)
	err = Run(parse(t, []byte(used)), edit.Options{Ops: ops.Ops()})
	if tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), `"z/b"`) {
		t.Errorf("a body that is needed: got %v", err)
	}
	if err := Run(parse(t, []byte(used)), edit.Options{Ops: ops.Ops(), SoftPlacement: true}); err != nil {
		t.Error(err)
	}
}
