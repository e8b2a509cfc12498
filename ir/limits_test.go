package ir

import (
	"math"
	"strings"
	"testing"
	"time"

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
		t.Errorf("the kinds do not stand in the order of the fields: %+v", l)
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

func TestDeadline(t *testing.T) {
	if err := (Deadline{}).Err(); err != nil {
		t.Errorf("no deadline: %v", err)
	}
	if err := In(time.Hour).Err(); err != nil {
		t.Errorf("an hour: %v", err)
	}
	past := Deadline{time.Now().Add(-time.Second), time.Minute}
	if err := past.Err(); tensor.CodeOf(err) != tensor.ResourceExhausted || !strings.Contains(err.Error(), "longer than 1m0s; --max-time") {
		t.Error(err)
	}
	if d := past.Within(time.Hour); d != past {
		t.Errorf("the earlier of two deadlines is %v", d)
	}
	if d := (Deadline{}).Within(time.Hour); d.Limit != time.Hour || d.Err() != nil {
		t.Errorf("an hour from now is %v", d)
	}
	if d := In(time.Hour).Within(time.Minute); d.Limit != time.Minute {
		t.Errorf("a minute from now is %v", d)
	}
}
