package cost

import (
	"fmt"
	"path"
	"reflect"
	"strings"

	"github.com/graphc/graphc/internal/flops"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Entry describes one kernel call of a plan: its node, the number of its operations, and the memory
// that it accesses.
type Entry struct {
	Step   int    `json:"step"`
	Call   int    `json:"call"`
	Node   string `json:"node"`
	Op     string `json:"op"`
	Kernel string `json:"kernel"`
	Shape  string `json:"shape,omitempty"` // of the results
	// FLOPs is the number of floating-point operations. Each multiply-add in the definition of the
	// node's product or convolution counts as two operations, even if the kernel executes fewer.
	// FLOPs is 0 if the node has no multiply-adds or if their number is unknown.
	FLOPs float64 `json:"flops,omitempty"`
	// ConstBytes is the number of bytes that the call reads from constants. If the call may read
	// only some rows of a constant table, the number is an estimate that is at most Bytes. Bytes is
	// the number of bytes of all other data that the call reads or writes, except scratch memory.
	// Known is false if sizes are known only at run time.
	ConstBytes float64 `json:"const_bytes"`
	Bytes      float64 `json:"bytes"`
	Known      bool    `json:"sizes_known"`
	Each       int     `json:"element_bytes"` // size in bytes of an element of the first operand
	Macs       bool    // whether FLOPs was computed from the node in the graph, not from the arguments of the call
}

// VariantFor returns the graph and the plan of the variant of s that was compiled for the ranks of
// the feeds.
func VariantFor(s *pipeline.Signature, feeds map[string]*tensor.Tensor) (*ir.Graph, *plan.Plan) {
	for _, v := range s.Variants {
		fits := len(v.Plan.Ranks) > 0
		for i, r := range v.Plan.Ranks {
			t := feeds[v.Plan.Feeds[i].Name]
			fits = fits && (r < 0 || t != nil && t.Rank() == r)
		}
		if fits {
			return v.Graph, v.Plan
		}
	}
	return s.Graph, s.Plan
}

// DimsOfFeeds returns the values of the plan's size variables that are dimension sizes of feeds,
// keyed by the name of the variable.
func DimsOfFeeds(p *plan.Plan, feeds map[string]*tensor.Tensor) map[string]int {
	env := map[string]int{}
	for _, d := range p.Dims {
		if t := feeds[p.Feeds[d.Feed].Name]; t != nil && d.Axis < t.Rank() {
			env[d.Name] = t.Shape[d.Axis]
		}
	}
	return env
}

// OfPlan returns one Entry for each call of a plan. Sizes are known as far as they follow from the
// given feeds.
func OfPlan(g *ir.Graph, p *plan.Plan, feeds map[string]*tensor.Tensor) []*Entry {
	env := DimsOfFeeds(p, feeds)
	nodes := map[string]*ir.Node{}
	for _, n := range g.Nodes {
		nodes[n.Name] = n
	}
	var out []*Entry
	plan.Walk(p.Steps, func(i int, s plan.Step) {
		switch s := s.(type) {
		case *plan.Par:
			delete(env, plan.CountName)
			if n, err := s.Total.Eval(env); err == nil {
				env[plan.LoName], env[plan.CountName] = 0, n
			}
			for j, b := range s.Body {
				out = append(out, costOf(b, i, j, env, nodes))
			}
			delete(env, plan.LoName)
			delete(env, plan.CountName)
		case *plan.If:
			out = append(out, &Entry{Step: i, Node: s.Node, Op: s.Op, Kernel: "if"})
		case *plan.Loop:
			out = append(out, &Entry{Step: i, Node: s.Node, Op: s.Op, Kernel: "loop"})
		case *plan.Break:
			out = append(out, &Entry{Step: i, Node: s.Node, Op: s.Op, Kernel: "break"})
		case *plan.Let:
			out = append(out, &Entry{Step: i, Node: s.Node, Op: s.Op, Kernel: "sizes"})
		case *plan.Room:
			out = append(out, &Entry{Step: i, Node: s.Node, Op: s.Op, Kernel: "room"})
		default:
			out = append(out, costOf(s, i, 0, env, nodes))
		}
	})
	return out
}

func costOf(s plan.Step, step, call int, env map[string]int, nodes map[string]*ir.Node) *Entry {
	c := &Entry{Step: step, Call: call, Known: true}
	var mnk float64
	if k, ok := plan.CallOf(s); ok {
		c.Node, c.Op = k.Node, k.Op
		c.Kernel = KernelName(k)
		mnk = productFLOPs(k, env)
	} else if k, ok := s.(*plan.Copy); ok {
		c.Node, c.Op, c.Kernel = k.Node, k.Op, "copy"
	} else if k, ok := s.(*plan.Scalar); ok {
		c.Node, c.Op, c.Kernel = k.Node, k.Op, "scalar"
	}
	var shapes []string
	s.Views(func(v plan.View) {
		size := v.Buf.DType.Size()
		if c.Each == 0 || v.Mode == plan.Read && len(shapes) == 0 {
			c.Each = size
		}
		constant := v.Buf.Root().Place == plan.Constant
		if !constant && v.Buf.Shape == nil && v.Buf.Place != plan.Fed {
			return // scratch
		}
		n, err := v.Len.Eval(env)
		switch {
		case err != nil:
			c.Known = false
		case constant:
			c.ConstBytes += float64(n * size)
		default:
			c.Bytes += float64(n * size)
		}
		if v.Mode&plan.Write != 0 && v.Buf.Shape != nil {
			shapes = append(shapes, v.Buf.DType.String()+sizesText(v.Buf.Shape, env))
		}
	})
	if strings.Contains(c.Op, "Gather") || strings.Contains(c.Op, "Segment") { // such a call may read only some rows of a constant table
		c.ConstBytes = min(c.ConstBytes, c.Bytes)
	}
	c.Shape = strings.Join(shapes, ", ")
	if n := nodes[c.Node]; n != nil {
		if macs := flops.MACs(n); macs != nil {
			if k, err := macs.Eval(env); err == nil {
				c.FLOPs, c.Macs = 2*float64(k), true
			}
		}
	}
	if !c.Macs {
		c.FLOPs = mnk
	}
	return c
}

// Products lists the names of those packages of kernels that multiply and add.
var Products = []string{"gemm", "conv", "volume", "einsum", "quant"}

// KernelName returns the name of the called function with its package, without the folder of the
// package, such as gemm.F32.
func KernelName(c *plan.Call) string {
	p, name, err := c.Symbol()
	if err != nil {
		return "?"
	}
	return path.Base(p) + "." + name
}

// productFLOPs returns the number of operations of a call if its arguments include the sizes M, N
// and K of a matrix product, and 0 otherwise. It is used if the number cannot be computed from the
// node in the graph.
func productFLOPs(c *plan.Call, env map[string]int) float64 {
	for _, a := range c.Args {
		s, ok := a.(plan.Struct)
		if !ok {
			continue
		}
		product := 2.0
		for _, name := range []string{"M", "N", "K"} {
			f, ok := s.Type().FieldByName(name)
			if !ok || f.Type.Kind() != reflect.Int {
				product = 0
				break
			}
			product *= float64(fieldOf(s, name, env))
		}
		if product > 0 {
			for i := range 6 {
				if n := fieldOf(s, fmt.Sprintf("D%d", i), env); n > 0 && i < fieldOf(s, "Dims", env) {
					product *= float64(n)
				}
			}
			return product
		}
	}
	return 0
}

// fieldOf returns the value of an int field in a struct argument of a call. It returns 0 if the
// struct has no such field or the value is unknown.
func fieldOf(s plan.Struct, name string, env map[string]int) int {
	if es, ok := s.Fields[name]; ok && len(es) == 1 {
		n, err := es[0].Eval(env)
		if err != nil {
			return 0
		}
		return n
	}
	f := reflect.ValueOf(s.V).FieldByName(name)
	if !f.IsValid() || f.Kind() != reflect.Int {
		return 0
	}
	return int(f.Int())
}

func sizesText(dims []*sym.Expr, env map[string]int) string {
	p := make([]string, len(dims))
	for i, d := range dims {
		p[i] = "?"
		if n, err := d.Eval(env); err == nil {
			p[i] = fmt.Sprint(n)
		}
	}
	return "[" + strings.Join(p, ",") + "]"
}
