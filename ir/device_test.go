package ir

import "testing"

func TestFillDevice(t *testing.T) {
	for _, c := range []struct{ name, from, want string }{
		{"", "", ""},
		{"", "/cpu:1", "/cpu:1"},
		{"/cpu:1", "", "/cpu:1"},
		{"/cpu:1", "/cpu:2", "/device:CPU:1"},
		{"/device:CPU:*", "/cpu:2", "/device:CPU:2"},
		{"/device:GPU:*", "/job:worker/replica:0/task:3/device:CPU:2", "/job:worker/replica:0/task:3/device:GPU:2"},
		{"/task:1", "/job:worker/task:3/device:CPU:0", "/job:worker/task:1/device:CPU:0"},
		{"/job:*", "/gpu:0", "/device:GPU:0"},
		{"/device:*:1", "/device:CPU:0", "/device:CPU:1"},
		{"/device:*:1", "/job:ps", "/job:ps/device:*:1"},
		{"/device:CPU", "/job:ps", "/job:ps/device:CPU:*"},
		{"somewhere", "/cpu:0", "somewhere"},
		{"/cpu:0", "/where:1", "/cpu:0"},
	} {
		if got := FillDevice(c.name, c.from); got != c.want {
			t.Errorf("FillDevice(%q, %q) is %q, want %q", c.name, c.from, got, c.want)
		}
	}
}
