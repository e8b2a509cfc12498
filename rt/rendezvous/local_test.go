package rendezvous

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

func TestKey(t *testing.T) {
	const cpu, gpu = "/job:mnist/replica:1/task:2/CPU:0", "/job:mnist/replica:1/task:2/device:GPU:0"
	const good = cpu + ";0000000000001ed2;" + gpu + ";var0;0:0"
	for _, c := range []struct {
		key  string
		want Key
		ok   bool
	}{
		{good, Key{cpu, 7890, gpu, "var0", 0, 0}, true},
		{cpu + ";ffffffffffffffff;" + cpu + ";edge_1_a;18446744073709551615:-1", Key{cpu, 1<<64 - 1, cpu, "edge_1_a", 1<<64 - 1, -1}, true},
		{good + ";" + good, Key{}, false},
		{good + ";", Key{}, false},
		{"", Key{}, false},
		{"foo;bar;baz", Key{}, false},
		{"foo;0000000000001ed2;" + gpu + ";var0;0:0", Key{}, false},
		{cpu + ";0000000000001ed2;/job:1/task:2;var0;0:0", Key{}, false},
		{cpu + ";0000000000001ed2;" + gpu + "x/;var0;0:0", Key{}, false},
		{cpu + ";0000000000001ed2;" + gpu + ";;0:0", Key{}, false},
		{cpu + ";0000000000001ed2;" + gpu + ";var0;", Key{}, false},
		{cpu + ";0000000000001ed2;" + gpu + ";var0;0", Key{}, false},
		{cpu + ";xyz;" + gpu + ";var0;0:0", Key{}, false},
		{cpu + ";00000000000001ed20000;" + gpu + ";var0;0:0", Key{}, false},
	} {
		k, err := ParseKey(c.key)
		if c.ok && (err != nil || k != c.want || k.String() != c.key) || !c.ok && tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%q: %+v, %v", c.key, k, err)
		}
	}
}

// TestLocal tests cases that the files of TestScenarios do not contain.
func TestLocal(t *testing.T) {
	l := New()
	a, b := keyOf("a"), keyOf("b")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := errors.Join(l.Send(a, Value{Dead: true}), l.Send(b, text("of b")), New().Send(a, text("of another step"))); err != nil {
		t.Fatal(err)
	}
	if v, err := l.Recv(ctx, b); err != nil || content(v) != "of b" {
		t.Error("another key:", v, err)
	}
	if v, err := l.Recv(ctx, a); err != nil || !v.Dead {
		t.Error("a dead tensor:", v, err)
	}
	if len(l.queues) != 0 {
		t.Error(len(l.queues), "empty queues are kept")
	}
	late, end := context.WithTimeout(ctx, time.Millisecond)
	defer end()
	if _, err := l.Recv(late, a); err != context.DeadlineExceeded || len(l.queues) != 0 {
		t.Error("too late:", err, len(l.queues))
	}
	first := errors.New("first")
	var got []error
	l.RecvAsync(ctx, a, func(_ Value, err error) { got = append(got, err) })
	l.Abort(first)
	l.Abort(errors.New("second"))
	_, err := l.Recv(ctx, a)
	if got = append(got, err, l.Send(b, Value{})); len(got) != 3 {
		t.Fatal(got)
	}
	for _, err := range got {
		if err != first {
			t.Error("after an abort:", err)
		}
	}
}

// TestLocalHammer pairs many senders and receivers while receives are cancelled.
func TestLocalHammer(t *testing.T) {
	none(t)
	const keys, each = 5, 300
	l := New()
	var wg sync.WaitGroup
	for k := range keys {
		key := Key{Tensor: "t", Iter: int64(k)}
		wg.Add(2)
		go func() {
			defer wg.Done()
			for i := range each {
				v, _ := tensor.From(nil, []int32{int32(i)})
				if err := l.Send(key, Value{Tensor: v}); err != nil {
					t.Error(err)
				}
			}
		}()
		go func() {
			defer wg.Done()
			for i := 0; i < each; {
				ctx, cancel := context.WithCancel(context.Background())
				if i%3 == 0 {
					go cancel()
				}
				v, err := l.Recv(ctx, key)
				if err == nil {
					if n := v.Tensor.Data.([]int32)[0]; n != int32(i) {
						t.Errorf("key %d: %d came instead of %d", k, n, i)
					}
					i++
				}
				cancel()
			}
		}()
	}
	wg.Wait()
}
