package plan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/device/devvar"
	"github.com/graphc/graphc/rt/tensor"
)

// vars is a plan with the values of two variables and the buffers that its calls use.
const vars = `plan "vars"
feed "x:0" key "" f32[B] %9
dim B feed 0 axis 0
buf %0 "v" kept resource len 1
buf %1 "u" kept resource len 1
buf %2 "v" devicevar f32 len 4 shape [4] var %0
buf %3 "v" devicevar f32 len 4 shape [4] access read "r" ReadVariableOp alias %2 off 0
buf %4 "v" devicevar f32 len 4 shape [4] access assign "as" AssignVariableOp alias %2 off 0
buf %5 "u" devicevar f32 len 4 shape [2,2] var %1
buf %6 "d" device f32 len 4
buf %7 "half" device f32 len 2 alias %6 off 8
buf %8 "o" device f32 len 4
buf %9 "x" fed f32 len B
buf %10 "h" arena f32 len 4
buf %11 "i" arena f32 len 4
buf %12 "bytes" arena u8 len 16 alias %10 off 0
buf %13 "whole" device f32 len 4 alias %6 off 0
buf %14 "large" device f32 len 8
buf %15 "grow" devicegrow f32 len n
buf %16 "empty" kept resource len 1
buf %17 "empty" devicevar f32 len 0 shape [0,3] var %16
buf %18 "none" device f32 len 0
buf %19 "bytes of i" arena u8 len 16 alias %11 off 0
buf %20 "long" kept resource len 1
buf %21 "long" devicevar f32 len 8 shape [8] var %20
object %0 k.New()
object %1 k.New()
object %16 k.New()
object %20 k.New()
`

// lines maps short names to steps.
var lines = map[string]string{
	"read":        `copy "r" ReadVariableOp w %6[0:4], r %3[0:4]`,
	"start":       `copy "r" ReadVariableOp w %6[0:2], r %3[0:2]`,
	"shifted":     `copy "r" ReadVariableOp w %6[1:3], r %3[1:3]`,
	"end of long": `copy "r" ReadVariableOp w %6[0:4], r %21[4:4]`,
	"give other":  `copy "r" ReadVariableOp w %5[0:4], r %2[0:4]`,
	"large":       `copy "r" ReadVariableOp w %14[0:4], r %3[0:4]`,
	"whole":       `copy "r" ReadVariableOp w %13[0:4], r %3[0:4]`,
	"none":        `copy "r" ReadVariableOp w %18[0:0], r %17[0:0]`,
	"grow":        `copy "r" ReadVariableOp w %15[0:4], r %3[0:4]`,
	"move":        `copy "m" Identity w %6[0:4], r %8[0:4]`,
	"make":        `call "o" Make k.K(queue, w %8[0:4])`,
	"use":         `call "k" K k.K(queue, w %8[0:4], r %6[0:4])`,
	"use half":    `call "k" K k.K(queue, w %8[0:2], r %7[0:2])`,
	"use many":    `call "k" K k.K(queue, {w %8[0:4], r %6[0:4], r %7[0:1]})`,
	"use operand": `call "k" K k.K(queue, w %8[0:4], #k.P{N:1} N=[4] with A=r %6[0:4] B=r %7[0:1])`,
	"use u":       `call "k" K k.K(queue, w %8[0:4], #k.P{} with A=r %5[0:4])`,
	"add operand": `call "ad" AssignAdd k.K(queue, rw %2[0:4], #k.P{} with A=r %6[0:4])`,
	"kernel on":   `call "k" K k.K(queue, w %8[0:4], #k.P{} with A=r %6[0:n])`,
	"use large":   `call "k" K k.K(queue, w %8[0:4], r %14[0:4])`,
	"use none":    `call "k" K k.K(queue, w %8[0:4], r %18[0:0])`,
	"use grow":    `call "k" K k.K(queue, w %8[0:4], r %15[0:4])`,
	"change":      `call "k" K k.K(queue, rw %6[0:4])`,
	"assign":      `copy "as" AssignVariableOp w %4[0:4], r %8[0:4]`,
	"add":         `call "ad" AssignAdd k.K(queue, rw %2[0:4], r %8[0:4])`,
	"add use":     `call "ad" AssignAdd k.K(queue, rw %2[0:4], r %6[0:4])`,
	"other":       `call "u" AssignAdd k.K(queue, rw %5[0:4], r %8[0:4])`,
	"see other":   `call "u" K k.K(queue, w %8[0:4], r %5[0:4])`,
	"host":        `call "h" H k.H(w %10[0:4])`,
	"host copy":   `copy "h" H w %11[0:4], r %10[0:4]`,
	"waits":       `call "h" H k.H(context)`,
	"writes":      `call "h" H k.H(files)`,
	"sends":       `call "h" H k.H(exchange, 0)`,
	"handle":      `call "h" AssignVariableOp k.H(r %1[0:1])`,
	"let":         `let "l" L m = B`,
	"par":         "par 4 grain 1 most 0 wrap - work 1 join 0\ncall \"h\" H k.H(w %10[_lo:_n])\nend",
	"par handle":  "par 4 grain 1 most 0 wrap - work 1 join 0\ncall \"h\" H k.H(r %1[0:1])\nend",
	"put":         `put "p" Put w %8[0:4], r %12[0:16]`,
	"put i":       `put "p" Put w %8[0:4], r %19[0:16]`,
	"put n":       `put "p" Put w %8[0:n], r %12[0:4*n]`,
	"put m":       `put "p" Put w %8[0:B], r %12[0:4*B]`,
	"put grow":    `put "p" Put w %15[0:4], r %12[0:16]`,
	"get":         `get "g" Get w %12[0:16], r %8[0:4]`,
	"get d":       `get "g" Get w %12[0:16], r %6[0:4]`,
	"kernel n":    `call "k" K k.K(queue, w %8[0:n])`,
	"fails":       `call "k" K k.K(queue, w %8[0:4]) ret m`,
	"size":        `call "n" N k.N() ret n`,
	"loop":        `loop "while" Enter`,
	"end":         "end",
	"fetch d":     `fetch "d" key "" f32[4] %6`,
	"fetch o":     `fetch "o" key "" f32[4] %8`,
}

// program returns a plan. Its text is the constant vars followed by the lines with the given names,
// which are separated by commas.
func program(t *testing.T, names string) *Plan {
	t.Helper()
	text := vars
	for name := range strings.SplitSeq(names, ", ") {
		if lines[name] == "" {
			t.Fatalf("there is no line %q", name)
		}
		text += lines[name] + "\n"
	}
	return parse(t, text)
}

// TestReadInPlace: readers of a copy of a variable's value use the value itself if that makes no
// visible difference.
func TestReadInPlace(t *testing.T) {
	for _, c := range []struct {
		steps string
		want  bool // whether the copy is dropped
	}{
		{"read, use", true},
		{"read, use, use", true},
		{"read, use half", true},
		{"read, use many", true},
		{"read, use operand", true},
		{"read, make, use", true},
		{"loop, read, use, end", true},
		{"loop, loop, read, use, end, end", true},
		{"read", false}, // the read must stay because it may fail
		// Cases with writes of the variable.
		{"make, read, assign, use", false},
		{"make, read, add, use", false},
		{"make, read, use, assign", true},
		{"make, read, use, add", true},
		{"make, read, use, assign, use", false},
		{"make, read, use, assign, use half", false},
		{"read, add use", false},
		{"read, add operand", false},
		{"read, change", false},
		{"read, use, change", false},
		// Before the read, the memory of the copy holds another value.
		{"make, move, read, use", false},
		// Cases with several kinds of readers of the copy.
		{"read, get d", false},
		{"read, use, get d", false},
		{"read, use, fetch d", false},
		{"read, use, fetch o", true},
		{"read, loop, use, end", false},
		{"read, use, loop, use, end", false},
		{"loop, use, read, end", false}, // the next iteration reads the copy
		// All readers must be in one segment.
		{"read, use, host, use", false},
		{"read, use, host, use operand", false},
		{"read, use, host, make", true},
		{"read, host, use", true},
		{"read, host, use, use", true},
		{"host, read, host, use, host", true},
		{"make, read, put, use, get", true},
		// A put begins a new segment if the host buffer that it reads is the destination of a get in
		// the current segment.
		{"make, get, read, use, put, use", false},
		// Cases with steps between the read and the segment of the readers.
		{"host, read, host copy, use", true},
		{"read, par, use", true},
		{"size, read, put n, use", true},
		{"read, par handle, use", false},
		{"read, handle, use", false},
		{"read, waits, use", false},
		{"read, writes, use", false},
		{"read, sends, use", false},
		{"read, let, use", false},
		{"read, loop, host, end, use", false},
		{"make, read, other, use", true},
		{"make, read, host, other, use", true},
		{"make, read, other, host, use", false},
		{"make, read, other, host, other, use", false},
		{"read, see other, host, use", true},
		// Cases that differ in the form of the copy.
		{"start, use half", false},
		{"shifted, use half", false},
		{"large, use large", false},
		{"end of long, use", false},
		{"give other, see other", false},
		{"whole, use half", false},
		{"none, use none", false},
		{"size, grow, use grow", false},
		{"make, move, use", false},
	} {
		p := program(t, c.steps)
		before := p.String()
		p.ReadInPlace()
		copies := 0
		Walk(p.Steps, func(_ int, s Step) {
			if k, ok := s.(*Copy); ok && (k.Op == "ReadVariableOp" || k.Op == "Identity") {
				copies++
			}
		})
		for _, b := range p.Bufs {
			if b.Place != b.Root().Place {
				t.Errorf("%s: the place of %s is %v, that of its storage %v", c.steps, b.Name, b.Place, b.Root().Place)
			}
		}
		switch {
		// One of the two copies does not copy a variable, so it stays.
		case strings.Contains(c.steps, "move, read, use") && copies == 2:
		case (copies == 0) != c.want:
			t.Errorf("%s: %d copies are left", c.steps, copies)
		case !c.want && p.String() != before:
			t.Errorf("%s: is now\n%s", c.steps, p)
		}
		if c.want && (p.Bufs[6].Alias != p.Bufs[3] || p.Bufs[7].Root() != p.Bufs[2] || !p.Bufs[7].ByteOffset().Is(8)) {
			t.Errorf("%s: the storage is\n%s", c.steps, p)
		}
	}
}

// TestReadInPlaceKept: a foreign function prevents reading in place.
func TestReadInPlaceKept(t *testing.T) {
	p := program(t, "read, host, use")
	p.Steps[1].(*Call).Fn = &Foreign{Path: "k", Name: "F", Type: reflect.TypeOf(onHost)}
	if p.ReadInPlace(); len(p.Steps) != 3 {
		t.Errorf("the copy is gone:\n%s", p)
	}
}

func TestSegments(t *testing.T) {
	for _, c := range []struct {
		steps string
		want  []int
	}{
		{"make, use, move", []int{0, 0, 0}},
		{"host, make, host copy, host, use, move", []int{-1, 0, -1, -1, 1, 1}},
		{"make, fails, use", []int{0, -1, 1}},
		{"make, let, use", []int{0, -1, 1}},
		{"make, par, use", []int{0, -1, 1}},
		// Kernel n belongs to the segment, but its size is not fixed, so it is recorded again in
		// each run.
		{"size, make, kernel n, use", []int{-1, 0, 0, 0}},
		{"size, make, kernel on, use operand", []int{-1, 0, 0, 0}},
		{"put, make, get", []int{0, 0, 0}},
		{"put m, make", []int{0, 0}}, // the size of the copy depends only on the shapes of the feeds
		{"size, put n, make", []int{-1, -1, 0}},
		{"size, make, put grow, make", []int{-1, 0, -1, 1}},
		{"make, get, put i, use", []int{0, 0, 0, 0}},
		{"make, get, put, use", []int{0, 0, 1, 1}}, // the host copies the value between the two segments
		{"make, get, put, put, use", []int{0, 0, 1, 1, 1}},
		{"make, get, host, put, get, put", []int{0, 0, -1, 1, 1, 2}},
		{"put, get", []int{0, 0}},
		{"make, get, get", []int{0, 0, 0}},
		{"make, read, loop, use, host, end, use", []int{0, 0, -1, 1}},
	} {
		p := program(t, c.steps)
		if got := p.Segments(p.Steps); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.steps, got, c.want)
		}
	}
}

// TestHolds checks that Holds lists each variable once, with the kind of access of its first use in
// the segment.
func TestHolds(t *testing.T) {
	for _, c := range []struct{ steps, want string }{
		{"make, put", ""},
		{"read, use", "1 r ReadVariableOp 0 false f32 [4]"},
		{"make, assign, read", "1 as AssignVariableOp 2 true f32 [4]"},
		{"read, make, assign", "1 r ReadVariableOp 0 true f32 [4]"},
		// The buffer has no Access, so the node and op are those of the call.
		{"make, add, read", "1 ad AssignAdd 0 true f32 [4]"},
		{"use u, make", "0 k K 0 false f32 [2 2]"},
		{"see other, read", "0 u K 0 false f32 [2 2]; 1 r ReadVariableOp 0 false f32 [4]"},
	} {
		p := program(t, c.steps)
		var got []string
		for _, u := range Holds(p.Steps, map[*Buf]int{p.Bufs[2]: 1, p.Bufs[5]: 0}) {
			got = append(got, fmt.Sprint(u.Slot, " ", u.Node, " ", u.Op, " ", uint8(u.Kind), " ", u.Write, " ", u.DType, " ", u.Shape))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s: %s, want %s", c.steps, s, c.want)
		}
	}
	p := program(t, "loop, see other, end, read")
	if got := p.DeviceVars(); !slices.Equal(got, []*Buf{p.Bufs[2], p.Bufs[5]}) {
		t.Errorf("the variables in use are %v", got)
	}
	p = program(t, "use u")
	if got := p.DeviceVars(); !slices.Equal(got, []*Buf{p.Bufs[5]}) || !p.Fixed(p.Steps[0]) {
		t.Errorf("the variables in use are %v", got)
	}
	if p = program(t, "size, kernel on"); p.Fixed(p.Steps[1]) {
		t.Error("a window of a size that a step finds is the same in each run")
	}
	p = program(t, "see other, read, use")
	if p.ReadInPlace(); !slices.Equal(p.DeviceVars(), []*Buf{p.Bufs[2], p.Bufs[5]}) {
		t.Errorf("read in place, the variables in use are %v", p.DeviceVars())
	}
}

// TestDeviceVarText: Parse and String preserve values of variables.
func TestDeviceVarText(t *testing.T) {
	text := vars
	for _, kind := range []string{"read", "update", "assign", "reassign"} {
		text = strings.Replace(text, "object %0", fmt.Sprintf("buf %%%d \"v\" devicevar f32 len 4 shape [4] access %s \"a \\\"b\" \"x y\" alias %%2 off 0\nobject %%0", 22+strings.Count(text, "x y"), kind), 1)
	}
	text += lines["read"] + "\n" + lines["use"] + "\n"
	p := parse(t, text)
	if got := p.String(); got != text {
		t.Errorf("printed as\n%s\nwant\n%s", got, text)
	}
	if p.Bufs[2].Var != p.Bufs[0] || p.Bufs[2].Access != nil || p.Bufs[3].Var != nil || *p.Bufs[3].Access != (Access{"r", "ReadVariableOp", devvar.Read}) {
		t.Errorf("read as %+v and %+v", p.Bufs[2], p.Bufs[3])
	}
	for i, kind := range []devvar.Kind{devvar.Read, devvar.Update, devvar.Assign, devvar.Reassign} {
		if got := *p.Bufs[22+i].Access; got != (Access{`a "b`, "x y", kind}) {
			t.Errorf("read as %+v", got)
		}
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	p.ReadInPlace()
	again := parse(t, p.String())
	if again.String() != p.String() || again.Bufs[6].Root() != again.Bufs[2] {
		t.Errorf("read in place:\n%s", again)
	}
	if err := again.Check(); err != nil {
		t.Errorf("read in place: %v", err)
	}
	for _, c := range []struct{ line, want string }{
		{`buf %0 "v" devicevar f32 len 4 shape [4] var 3`, `expected "%" before "3"`},
		{`buf %0 "v" devicevar f32 len 4 shape [4] var %9`, "%9 is used but not declared"},
		{`buf %0 "v" devicevar f32 len 4 access look "n" Op`, `unknown kind of access "look"`},
		{`buf %0 "v" devicevar f32 len 4 access read n Op`, "expected a quoted name"},
		{`buf %0 "v" devicevar f32 len 4 access read "n"`, "the line ends too early"},
	} {
		if _, err := Parse(c.line); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.line, err, c.want)
		}
	}
}

// TestDeviceVarCheck checks the rules for a variable's value in device memory: its shape is
// constant, it belongs to a variable, and only recorded steps use it.
func TestDeviceVarCheck(t *testing.T) {
	for _, c := range []struct{ lines, want string }{
		{`copy "a" Op w %8[0:4], r %2[0:4]`, ""},
		{`call "a" Op k.K(queue, rw %2[0:4], r %5[0:4])`, ""},
		{`call "a" Op k.H(r %2[0:4])`, "uses v, the value of a variable, but is not recorded"},
		{`call "a" Op k.K(queue, r %3[0:4]) ret n1`, "uses v, the value of a variable, but is not recorded"},
		{lines["get"] + "\n" + `copy "a" Op w %10[0:4], r %2[0:4]`, "uses v, the value of a variable, but is not recorded"},
		{`copy "a" Op w %2[0:4], r %10[0:4]`, "copies between the host and a device"},
		{"buf %22 \"c\" devicevar bool len 1 shape [] var %0\n" + `if "a" Op r %22[0:1]` + "\nend", "a condition must be in host memory, but c is in device memory"},
		{`buf %22 "w" devicevar f32 len B shape [B] var %0`, "is a variable's value whose shape is not fixed"},
		{`buf %22 "w" devicevar f32 len 1 var %0`, "is a variable's value whose shape is not fixed"},
		{`buf %22 "w" devicevar f32 len 4 shape [2,3] var %0`, "is a variable's value whose shape is not fixed"},
		{`buf %22 "w" devicevar f32 len 4 shape [4]`, "is a variable's value without a variable"},
		{`buf %22 "w" devicevar f32 len 4 shape [4] var %10`, "is a variable's value without a variable"},
		{"buf %23 \"k\" kept f32 len 4\n" + `buf %22 "w" devicevar f32 len 4 shape [4] var %23`, "is a variable's value without a variable"},
		{`buf %22 "w" devicevar str len 4 shape [4] var %0`, "are not kept in a device's memory"},
		{`buf %22 "w" device f32 len 4 alias %2 off 0`, "its place is device, that of its storage devicevar"},
		{`buf %22 "w" devicevar f32 len 4 alias %2 off 4`, "leaves the storage of v by 4 bytes"},
		{`fetch "a" key "" f32[4] %2`, "a is fetched from a device's memory"},
	} {
		p := parse(t, strings.ReplaceAll(vars, "buf %15 \"grow\" devicegrow f32 len n\n", "")+c.lines+"\n")
		err := p.Check()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.lines, err, c.want)
		}
	}
	p := parse(t, vars)
	p.Bufs[2].Var = &Buf{Name: "other", Place: Kept, DType: tensor.Resource, Object: p.Bufs[0].Object}
	if err := p.Check(); err == nil || !strings.Contains(err.Error(), "is a variable's value without a variable") {
		t.Errorf("a variable of another plan: %v", err)
	}
}
