package ir

import (
	"math"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

func TestLimits(t *testing.T) {
	var l Limits
	full := l.WithDefaults()
	for i, k := range LimitKinds {
		if got := full.Get(k.Key); got != k.Default || full.Get(k.Flag) != got || got <= 0 {
			t.Errorf("%s: %d by default, not %d", k.Key, got, k.Default)
		}
		if err := l.Set(k.Flag, int64(i)+7); err != nil {
			t.Error(err)
		}
		if l.Get(k.Key) != int64(i)+7 || l.WithDefaults().Get(k.Key) != int64(i)+7 {
			t.Errorf("%s: %d is set and %d got", k.Key, i+7, l.Get(k.Key))
		}
		for _, bad := range []int64{0, -1} {
			if err := l.Set(k.Key, bad); tensor.CodeOf(err) != tensor.InvalidArgument {
				t.Errorf("%s %d: %v", k.Key, bad, err)
			}
		}
	}
	if l != (Limits{7, 8, 9, 10, 11, 12, 13, 14}) {
		t.Errorf("the kinds are not in the order of the fields: %+v", l)
	}
	if err := l.Set("no", 1); tensor.CodeOf(err) != tensor.InvalidArgument || l.Get("no") != 0 {
		t.Errorf("a limit that there is not: %v", err)
	}
	if err := l.Set(FlagTime, math.MaxInt64); err != nil || l.Time != math.MaxInt64 {
		t.Errorf("%v, %v", l.Time, err)
	}
	err := Exceeded(FlagNodes, "%d nodes", 3)
	if tensor.CodeOf(err) != tensor.ResourceExhausted || !strings.HasSuffix(err.Error(), "3 nodes; --max-nodes raises the limit") {
		t.Error(err)
	}
}
