package typed

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// Fed stands for an argument that a user feeds to the graph and that may be any integer. Hostile
// replaces it by several integers.
type Fed struct{}

// FedList stands for a slice of integers that a user feeds. Its value is the length of the slice.
type FedList int

// Dims stands for the dimensions of a shape. Its value is the rank. Dimensions are not
// negative, but may be huge if one of them is 0.
type Dims int

// hostile holds the integers that Hostile uses. Some of them make sums or products of sizes
// overflow, and others are just inside or outside the limits that kernels check.
var hostile = []int{0, 1, -1, 2, -2, 7, math.MaxInt32, math.MinInt32, math.MaxInt - 1, math.MaxInt, math.MinInt, math.MinInt + 1}

var sizes = []int{0, 1, 7, math.MaxInt32, math.MaxInt}

// Hostile calls f with each combination of hostile numbers for the fed arguments. f must not panic or
// return an error with the code Internal. Integers that it returns without an error must not be negative.
func Hostile(t *testing.T, what string, f any, args ...any) {
	t.Helper()
	v := reflect.ValueOf(f)
	in := make([]reflect.Value, len(args))
	var places []reflect.Value // where the fed numbers are stored
	var choices [][]int
	add := func(at reflect.Value, from []int) { places, choices = append(places, at), append(choices, from) }
	for i, a := range args {
		typ := v.Type().In(i)
		n, from := 0, hostile
		switch a := a.(type) {
		case Fed:
			p := reflect.New(typ).Elem()
			in[i] = p
			add(p, from)
			continue
		case FedList:
			n = int(a)
		case Dims:
			n, from = int(a), sizes
		default:
			in[i] = reflect.ValueOf(a)
			continue
		}
		in[i] = reflect.MakeSlice(typ, n, n)
		for k := range n {
			add(in[i].Index(k), from)
		}
	}
	at := make([]int, len(places))
	for {
		for k, p := range places {
			p.SetInt(int64(choices[k][at[k]]))
		}
		if problem := attempt(v, in); problem != "" {
			var said []any
			for _, x := range in {
				said = append(said, x.Interface())
			}
			t.Errorf("%s, %v: %s", what, said, problem)
			return
		}
		k := 0
		for ; k < len(at); k++ {
			if at[k]++; at[k] < len(choices[k]) {
				break
			}
			at[k] = 0
		}
		if k == len(at) {
			return
		}
	}
}

// attempt calls f and returns what went wrong, or "".
func attempt(f reflect.Value, in []reflect.Value) (problem string) {
	defer func() {
		if p := recover(); p != nil {
			problem = fmt.Sprintf("panic: %v", p)
		}
	}()
	results := f.Call(in)
	last := len(results) - 1
	if last >= 0 {
		if err, ok := results[last].Interface().(error); ok {
			if tensor.CodeOf(err) == tensor.Internal {
				return err.Error()
			}
			return ""
		}
	}
	for i, r := range results {
		if r.CanInt() && r.Int() < 0 {
			return fmt.Sprintf("result %d is %d", i, r.Int())
		}
	}
	return ""
}
