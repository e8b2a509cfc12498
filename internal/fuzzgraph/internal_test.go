package fuzzgraph

import (
	"errors"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

func TestInternal(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&tensor.Error{Code: tensor.Internal, Op: "TruncateDiv", Msg: "Integer division by zero"}, true},
		{&tensor.Error{Code: tensor.Internal, Op: "FloorDiv", Msg: "Integer division by zero"}, false},
		{&tensor.Error{Code: tensor.Internal, Op: "EditDistance", Msg: "panic: index out of range"}, false},
		{&tensor.Error{Code: tensor.InvalidArgument, Op: "EditDistance", Msg: "matching ranks"}, false},
		{errors.New("EditDistance"), false},
	} {
		if got := Internal(c.err); got != c.want {
			t.Errorf("%v: %v", c.err, got)
		}
	}
}
