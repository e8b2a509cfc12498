package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphc/graphc/ir/sym"
)

// forkHead returns the declarations that the cases below use: tensors of 1000 numbers, one tensor
// of 2000 numbers and a part of it, a condition, two resources and two lists.
func forkHead() string {
	var b strings.Builder
	b.WriteString("plan \"p\"\nfeed \"x:0\" key \"x\" f32[1000] %0\n")
	b.WriteString("buf %0 \"x:0\" fed f32 len 1000 shape [1000]\n")
	for i := 1; i < 20; i++ {
		fmt.Fprintf(&b, "buf %%%d \"t%d:0\" arena f32 len 1000 shape [1000]\n", i, i)
	}
	b.WriteString("buf %20 \"wide:0\" arena f32 len 2000 shape [2000]\n")
	b.WriteString("buf %21 \"cond:0\" arena bool len 1 shape []\n")
	b.WriteString("buf %22 \"var\" kept resource len 1\nbuf %23 \"other\" kept resource len 1\n")
	b.WriteString("buf %26 \"part:0\" arena f32 len 1000 shape [1000] alias %20 off 4*n\n")
	b.WriteString("buf %24 \"list\" handles variant len 1\nbuf %25 \"list2\" handles variant len 1\n")
	return b.String()
}

// short formats a list of steps as the names of their nodes. Each Tasks is in braces, with the
// tasks for which each task waits.
func short(steps []Step) string {
	var out []string
	for _, s := range steps {
		switch s := s.(type) {
		case *Tasks:
			var ts []string
			for _, t := range s.Tasks {
				text := short(t.Steps)
				if len(t.After) > 0 {
					text += fmt.Sprint(t.After)
				}
				ts = append(ts, text)
			}
			out = append(out, "{"+strings.Join(ts, " | ")+"}")
		case *Loop:
			out = append(out, "loop("+short(s.Body)+")")
		case *Break:
			out = append(out, "break")
		default:
			n, _ := NodeOf(s)
			out = append(out, n)
		}
	}
	return strings.Join(out, " ")
}

// forkCall returns the text of a call step with the given node, op and views.
func forkCall(node, op, views string) string {
	return fmt.Sprintf("call %q %s k.F(%s)\n", node, op, views)
}

// forkRead is like forkCall, for a call that does not change resources.
func forkRead(node, op, views string) string {
	return strings.TrimSuffix(forkCall(node, op, views), "\n") + " looks\n"
}

func all1000(mode string, i int) string { return fmt.Sprintf("%s %%%d[0:1000]", mode, i) }

// unary returns the text of a call that computes dst from src.
func unary(node string, dst, src int) string {
	return forkCall(node, "F", all1000("w", dst)+", "+all1000("r", src))
}

func TestFork(t *testing.T) {
	const big, small = 100_000, 100 // nanoseconds
	two := unary("a", 1, 0) + unary("b", 2, 0)
	sum := forkCall("sum", "F", all1000("w", 3)+", "+all1000("r", 1)+", "+all1000("r", 2))
	par := func(node string, dst int) string {
		return "par 1000 grain 1 most - wrap - work 100000 join -\n" + forkCall(node, "F", fmt.Sprintf("w %%%d[_lo:_n], r %%0[_lo:_n]", dst)) + "end\n"
	}
	for _, c := range []struct {
		name, steps string
		costs       map[string]float64
		want        string
	}{
		{"two branches", two + sum, map[string]float64{"a": big, "b": big}, "{a | b} sum"},
		{"a chain", unary("a", 1, 0) + unary("b", 2, 1), map[string]float64{"a": big, "b": big}, "a b"},
		{"one of them is cheap", two + sum, map[string]float64{"a": big, "b": small}, "a b sum"},
		{"chains stay together", unary("a", 1, 0) + unary("b", 2, 0) + unary("c", 4, 1) + unary("d", 5, 2),
			map[string]float64{"a": big, "b": big, "c": big, "d": big}, "{a c | b d}"},
		{"what is cheap goes with what needs it", unary("a", 1, 0) + unary("e", 4, 0) + unary("b", 2, 4) + sum,
			map[string]float64{"a": big, "b": big, "e": small}, "{a | e b} sum"},
		{"a fork after a common part", unary("p", 4, 0) + unary("a", 1, 4) + unary("b", 2, 4) + sum,
			map[string]float64{"p": big, "a": big, "b": big}, "p {a | b} sum"},
		{"between two joins", two + sum + unary("c", 4, 3) + unary("d", 5, 3),
			map[string]float64{"a": big, "b": big, "sum": big, "c": big, "d": big}, "{a | b} sum {c | d}"},
		{"parts of one tensor", forkCall("a", "F", "w %20[0:1000], "+all1000("r", 0)) + forkCall("b", "F", "w %20[1000:1000], "+all1000("r", 0)) + forkCall("c", "F", all1000("w", 3)+", r %20[500:1000]"),
			map[string]float64{"a": big, "b": big}, "{a | b} c"},
		{"parts that overlap", forkCall("a", "F", "w %20[0:1001], "+all1000("r", 0)) + forkCall("b", "F", "w %20[1000:1000], "+all1000("r", 0)),
			map[string]float64{"a": big, "b": big}, "a b"},
		{"a read before a write", unary("a", 1, 0) + unary("b", 2, 1) + unary("c", 1, 0), map[string]float64{"b": big, "c": big}, "a b c"},
		{"small ones are put together", two + unary("c", 4, 0) + unary("d", 5, 0), map[string]float64{"a": 15_000, "b": 15_000, "c": 15_000, "d": 15_000}, "{a b | c d}"},
		{"loops over items divide already", par("a", 1) + par("b", 2), nil, "a b"},
		{"so they do where a profile tells how long they take", par("a", 1) + par("b", 2), map[string]float64{"a": 4_000_000, "b": 4_000_000}, "a b"},
		{"two loops", "loop \"w\" While\nbreak \"w\" LoopCond if r %21[0:1]\n" + unary("a", 1, 1) + "end\nloop \"v\" While\nbreak \"v\" LoopCond if r %21[0:1]\n" + unary("b", 2, 2) + "end\n",
			map[string]float64{"a": big, "b": big}, "{loop(break a) | loop(break b)}"},
		{"in a loop, between its ends", "loop \"w\" While\n" + two + "break \"w\" LoopCond if r %21[0:1]\n" + unary("c", 4, 0) + unary("d", 5, 0) + "end\n",
			map[string]float64{"a": 16 * big, "b": 16 * big, "c": 16 * big, "d": 16 * big}, "loop({a | b} break {c | d})"},
		{"sizes", "call \"a\" F k.F(" + all1000("r", 0) + ") ret n\n" + unary("b", 2, 0) + forkCall("c", "F", "w %3[0:n], "+all1000("r", 0)) + unary("d", 5, 2),
			map[string]float64{"a": big, "b": big, "c": big, "d": big}, "{a c | b d}"},
		{"nothing is written before it is read", forkCall("a", "F", "w %1[0:0], "+all1000("r", 0)) + unary("b", 2, 0) + forkCall("c", "F", all1000("w", 3)+", r %1[0:0]") + unary("d", 5, 2),
			map[string]float64{"a": big, "b": big, "c": big, "d": big}, "{a c | b d}"},
		{"where a part of a tensor begins", "call \"a\" F k.F(" + all1000("r", 0) + ") ret n\n" + unary("b", 2, 0) + unary("c", 3, 26) + unary("d", 5, 2),
			map[string]float64{"a": big, "b": big, "c": big, "d": big}, "{a c | b d}"},
		{"two variables are read", forkRead("a", "ReadVariableOp", all1000("w", 1)+", r %22[0:1]") + forkRead("b", "ReadVariableOp", all1000("w", 2)+", r %23[0:1]"),
			map[string]float64{"a": big, "b": big}, "{a | b}"},
		{"one of them is written", forkCall("a", "AssignVariableOp", all1000("r", 0)+", r %22[0:1]") + forkRead("b", "ReadVariableOp", all1000("w", 2)+", r %23[0:1]"),
			map[string]float64{"a": big, "b": big}, "a b"},
		{"lists made apart", forkCall("l", "New", "w %24[0:1]") + forkCall("m", "New", "w %25[0:1]") + forkCall("a", "Push", all1000("r", 0)+", r %24[0:1]") + forkCall("b", "Push", all1000("r", 0)+", r %25[0:1]"),
			map[string]float64{"a": big, "b": big}, "l m {a | b}"},
		{"a list and what is made of it", forkCall("l", "New", "w %24[0:1]") + forkCall("m", "Copy", "w %25[0:1], r %24[0:1]") + forkCall("a", "Push", all1000("r", 0)+", r %24[0:1]") + forkCall("b", "Push", all1000("r", 0)+", r %25[0:1]"),
			map[string]float64{"a": big, "b": big}, "l m a b"},
		{"waiting", forkCall("a", "Dequeue", "context, "+all1000("w", 1)) + forkCall("b", "Dequeue", "context, "+all1000("w", 2)) + unary("c", 4, 0),
			map[string]float64{"a": big, "b": big, "c": big}, "{a b | c}"},
	} {
		p, err := Parse(forkHead() + c.steps)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		p.Fork(c.costs)
		if got := short(p.Steps); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		text := p.String()
		q, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, text)
		}
		if got := q.String(); got != text {
			t.Errorf("%s: read back, the plan is\n%s\nwas\n%s", c.name, got, text)
		}
		p.InOrder()
		if strings.Contains(p.String(), "\ntask") {
			t.Errorf("%s: tasks stay", c.name)
		}
	}
}

// TestForkMemory: fewer tasks are used if many tasks would need too much memory.
func TestForkMemory(t *testing.T) {
	for _, c := range []struct {
		len         int // the number of elements in the temporary buffer of each of 64 branches
		least, most int // tasks
	}{
		{1000, 64, 65},
		{100_000, 8, 11},
		{10_000_000, 0, 0},
	} {
		p := &Plan{}
		x := &Buf{Name: "x", Place: Fed, Len: sym.Int(c.len)}
		add := func(b *Buf) *Buf {
			b.ID, b.DType = len(p.Bufs), 1
			p.Bufs = append(p.Bufs, b)
			return b
		}
		add(x)
		costs := map[string]float64{}
		var outs []Arg
		for i := range 64 {
			s, y := add(&Buf{Name: "s", Len: sym.Int(c.len)}), add(&Buf{Name: "y", Len: sym.One})
			n := fmt.Sprint("n", i)
			costs[n] = 100_000
			p.Steps = append(p.Steps,
				&Call{Node: n, Op: "F", Fn: Unresolved("k.F"), Args: []Arg{View{s, nil, s.Len, Write}, View{x, nil, x.Len, Read}}},
				&Call{Node: n, Op: "F", Fn: Unresolved("k.F"), Args: []Arg{View{y, nil, y.Len, Write}, View{s, nil, s.Len, Read}}})
			outs = append(outs, View{y, nil, y.Len, Read})
		}
		sum := add(&Buf{Name: "sum", Len: sym.One})
		costs["sum"] = 10_000
		p.Steps = append(p.Steps, &Call{Node: "sum", Op: "F", Fn: Unresolved("k.F"), Args: append(outs, View{sum, nil, sum.Len, Write})})
		before := p.usualArena()
		p.Fork(costs)
		n := 0
		Walk(p.Steps, func(_ int, s Step) {
			if s, ok := s.(*Tasks); ok {
				n += len(s.Tasks)
			}
		})
		if got := p.usualArena(); n < c.least || n > c.most || float64(got) > growth*float64(before)+growthFree {
			t.Errorf("scratch of %d: %d tasks, %d bytes, were %d", c.len, n, got, before)
		}
	}
}

// TestTasksCheck: unordered tasks that use the same buffer, size or state are rejected.
func TestTasksCheck(t *testing.T) {
	for _, c := range []struct{ name, steps, want string }{
		{"both write", "task work 1\n" + unary("a", 1, 0) + "task work 1\n" + unary("b", 1, 0), "tasks 0 and 1 use t1:0, but are unordered"},
		{"one reads", "task work 1\n" + unary("a", 1, 0) + "task work 1\n" + unary("b", 2, 1), "tasks 0 and 1 use t1:0, but are unordered"},
		{"in order", "task work 1\n" + unary("a", 1, 0) + "task work 1 after 0\n" + unary("b", 2, 1), ""},
		{"in order by way of another", "task work 1\n" + unary("a", 1, 0) + "task work 1 after 0\n" + unary("c", 3, 0) + "task work 1 after 1\n" + unary("b", 2, 1), ""},
		{"what comes later", "task work 1 after 1\n" + unary("a", 1, 0) + "task work 1\n" + unary("b", 2, 0), "task 0 comes after task 1"},
		{"itself", "task work 1 after 0\n" + unary("a", 1, 0), "task 0 comes after task 0"},
		{"a task without steps", "task work 1\ntask work 1\n" + unary("a", 1, 0), "task 0 is empty"},
		{"tasks in tasks", "task work 1\ntasks \"u\" T work 1\ntask work 1\n" + unary("a", 1, 0) + "end\n", "tasks within a task"},
		{"no tasks", "", "tasks within a task, or a step without tasks"},
		{"sizes", "task work 1\ncall \"a\" F k.F(" + all1000("r", 0) + ") ret n\ntask work 1\n" + forkCall("b", "F", "w %2[0:n]"), "tasks 0 and 1 use state or sizes, but are unordered"},
		{"files", "task work 1\n" + forkCall("a", "Save", "files") + "task work 1\n" + forkCall("b", "Save", "files"), "tasks 0 and 1 use state or sizes, but are unordered"},
		{"a break", "task work 1\n" + unary("a", 1, 0) + "break \"b\" LoopCond if r %21[0:1]\n", "a break outside of a loop"},
	} {
		head, _, _ := strings.Cut(forkHead(), "buf %22")
		p, err := Parse(head + "call \"c\" F k.F(w %21[0:1])\nloop \"l\" While\nbreak \"l\" LoopCond if r %21[0:1]\ntasks \"t\" T work 2\n" + c.steps + "end\nend\n")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if err := p.Check(); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}
