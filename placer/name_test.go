package placer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

func TestParseName(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""}, {"/", ""},
		{"/job:a/replica:1/task:2/device:CPU:3", "/job:a/replica:1/task:2/device:CPU:3"},
		{"/cpu:0", "/device:CPU:0"}, {"/CPU:1", "/device:CPU:1"}, {"/gpu:*", "/device:GPU:*"}, {"/GPU:7", "/device:GPU:7"},
		{"/device:gpu:0", "/device:gpu:0"}, {"/device:CPU", "/device:CPU:*"}, {"/device:CPU:*", "/device:CPU:*"}, {"/device:*:3", ""},
		{"/job:*/replica:*/task:*/device:*", ""}, {"/device:*", ""},
		{"/task:1/job:w_2", "/job:w_2/task:1"}, {"/cpu:0/task:1", "/task:1/device:CPU:0"},
		{"/device:XLA_CPU:0", "/device:XLA_CPU:0"}, {"/job:a/job:b", "/job:b"}, {"/replica:007", "/replica:7"},
		{"/task:2147483647", "/task:2147483647"},
	} {
		n, err := ParseName(c.in)
		if err != nil || n.String() != c.want {
			t.Errorf("%q is %q, %v; want %q", c.in, n, err, c.want)
		}
		if again, err := ParseName(n.String()); c.want != "" && (err != nil || again != n) {
			t.Errorf("%q read again is %+v, %v; want %+v", n, again, err, n)
		}
	}
	for _, bad := range []string{"cpu:0", "/cpu", "/cpu:", "/cpu:x", "/job:", "/job:1a", "/job:a-b", "/job:a:b", "/task:-1", "/task:", "/task:2147483648",
		"/replica:99999999999999999999", "/device:", "/device::0", "/device:CPU:", "/device:CPU:x", "/device:1:0", "/dev:CPU:0", "//", "/job:a/", " /cpu:0",
		"/job:a b", "/job:ä", "/job:" + strings.Repeat("a", 1<<20), strings.Repeat("/cpu:0", 1<<16)} {
		if n, err := ParseName(bad); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%q is %q, %v", tensor.Clip(bad), n, err)
		} else if len(err.Error()) > 1200 {
			t.Errorf("the message has %d bytes", len(err.Error()))
		}
	}
}

func FuzzParseName(f *testing.F) {
	for _, s := range []string{"/job:a/replica:1/task:2/device:CPU:3", "/cpu:*", "/device:*:1", "/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := ParseName(s)
		if err != nil {
			return
		}
		n = n.without(false, !n.HasType) // String omits a number without a type
		if again, err := ParseName(n.String()); err != nil || again != n {
			t.Errorf("%q is %q, which is %q, %v", s, n, again, err)
		}
	})
}

func name(t *testing.T, s string) Name {
	n, err := ParseName(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestMerge(t *testing.T) {
	const fails = "fails"
	for _, c := range []struct{ a, b, hard, soft, override, specialise string }{
		{"", "/job:a/device:CPU:1", "/job:a/device:CPU:1", "/job:a/device:CPU:1", "/job:a/device:CPU:1", "/job:a/device:CPU:1"},
		{"/job:a", "/task:1", "/job:a/task:1", "/job:a/task:1", "/job:a/task:1", "/job:a/task:1"},
		{"/job:a", "/job:b", fails, fails, fails, "/job:b"},
		{"/replica:1", "/replica:2", fails, fails, fails, "/replica:2"},
		{"/task:1/cpu:0", "/task:2/cpu:0", fails, fails, fails, "/task:2/device:CPU:0"},
		{"/cpu:0", "/gpu:0", fails, "", "/device:GPU:0", "/device:GPU:0"},
		{"/task:3/cpu:0", "/gpu:*", fails, "/task:3", "/task:3/device:GPU:0", "/task:3/device:GPU:0"},
		{"/cpu:0", "/cpu:1", fails, "/device:CPU:*", "/device:CPU:1", "/device:CPU:1"},
		{"/cpu:*", "/cpu:1", "/device:CPU:1", "/device:CPU:1", "/device:CPU:1", "/device:CPU:1"},
		{"/job:a/cpu:1", "/cpu:*", "/job:a/device:CPU:1", "/job:a/device:CPU:1", "/job:a/device:CPU:1", "/job:a/device:CPU:1"},
		{"/cpu:0", "/job:b/gpu:1", fails, "/job:b", "/job:b/device:GPU:1", "/job:b/device:GPU:1"},
	} {
		a, b := name(t, c.a), name(t, c.b)
		check := func(how, want string, n Name, err error) {
			if want == fails {
				if tensor.CodeOf(err) != tensor.InvalidArgument || n != a {
					t.Errorf("%s with %s, %s: %q, %v", c.a, c.b, how, n, err)
				}
			} else if err != nil || n.String() != want {
				t.Errorf("%s with %s, %s: %q, %v; want %q", c.a, c.b, how, n, err, want)
			}
		}
		n, err := a.Merge(b, false)
		check("hard", c.hard, n, err)
		n, err = a.Merge(b, true)
		check("soft", c.soft, n, err)
		n, err = a.Override(b)
		check("overriding", c.override, n, err)
		check("specialised", c.specialise, a.Specialise(b), nil)
		if got := a.Compatible(b); got != (c.hard != fails) {
			t.Errorf("%s and %s are compatible: %v", c.a, c.b, got)
		}
	}
}

func TestNewSet(t *testing.T) {
	s, err := NewSet([]string{"cpu:0", "gpu:1", "/device:CPU:2", "CPU:3", "/job:worker/task:1/cpu:0", "/job:a/replica:2/task:3/device:FakeCPU:4", "/gpu:0"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"/job:localhost/replica:0/task:0/device:CPU:0", "/job:localhost/replica:0/task:0/device:GPU:1", "/job:localhost/replica:0/task:0/device:CPU:2",
		"/job:localhost/replica:0/task:0/device:CPU:3", "/job:worker/replica:0/task:1/device:CPU:0", "/job:a/replica:2/task:3/device:FakeCPU:4",
		"/job:localhost/replica:0/task:0/device:GPU:0"}
	var got []string
	seen := map[uint64]bool{0: true}
	for _, d := range s.Devices() {
		got = append(got, d.FullName)
		if seen[d.Incarnation] {
			t.Errorf("%s has incarnation %d", d.FullName, d.Incarnation)
		}
		seen[d.Incarnation] = true
		if !d.Name.Full() || d.Name.String() != d.FullName || d.Name.Type != d.Type {
			t.Errorf("%+v", d)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if s.Default().FullName != want[0] {
		t.Errorf("default %s", s.Default().FullName)
	}
	if d := s.Find("/job:worker/replica:0/task:1/cpu:0"); d != s.Devices()[4] {
		t.Errorf("the old spelling is %v", d)
	}
	if d := s.Find("/job:worker"); d != nil {
		t.Errorf("a partial name is %v", d)
	}
	if l := s.Matching(name(t, "/job:localhost/device:CPU:*")); len(l) != 3 {
		t.Errorf("%d devices match", len(l))
	}
	again, _ := NewSet([]string{"/cpu:0"})
	if again.Devices()[0].Incarnation != s.Devices()[0].Incarnation {
		t.Error("the incarnation is not that of the name")
	}
	empty, err := NewSet(nil)
	if err != nil || empty.Default() != nil {
		t.Errorf("the empty set: %v", err)
	}
	many := make([]string, maxDevices+1)
	for i := range many {
		many[i] = fmt.Sprintf("cpu:%d", i)
	}
	for _, bad := range [][]string{{"cpu:0", "/device:CPU:0"}, {"cpu"}, {"cpu:"}, {"cpu:-1"}, {"cpu:x"}, {"cpu:*"}, {""}, {"/"}, {"/job:a"}, {"cpu:0,cpu:1"}, {":0"}, {"0"},
		{strings.Repeat("cpu:0", 1e6)}, many} {
		if _, err := NewSet(bad); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%.100q: %v", bad, err)
		}
	}
	if _, err := NewSet(many[:maxDevices]); err != nil {
		t.Error(err)
	}
}
