package libdevice

import (
	"strings"
	"testing"
)

// TestInclude checks the text that Include returns. It must contain no calls. All its names must be
// those with the given prefix, or names of special registers and tables.
func TestInclude(t *testing.T) {
	if len(Names()) < 50 {
		t.Fatalf("only %d functions", len(Names()))
	}
	for _, n := range Names() {
		f, ok := Lookup(n)
		if !ok {
			t.Fatalf("%s is not there", n)
		}
		text := f.Include("m7", "%dst", []string{"%a", "%b", "%b"}[:f.Args]...)
		for _, bad := range []string{"#", "call", "ret;", "param"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q in it", n, bad)
			}
		}
		if !strings.Contains(text, "%dst,") || !strings.Contains(text, " %a") || f.Args >= 2 && !strings.Contains(text, " %b") {
			t.Errorf("%s: arguments or the result are missing", n)
		}
		for i, c := range text {
			if c != '%' {
				continue
			}
			if name := text[i+1:]; !strings.HasPrefix(name, "m7") && !strings.HasPrefix(name, "dst") && !strings.HasPrefix(name, "a") && !strings.HasPrefix(name, "b") {
				t.Errorf("%s: register %.8s", n, name)
			}
		}
		for _, g := range f.Globals {
			if !strings.Contains(Global(g), g+"[") {
				t.Errorf("%s reads %s, which is not declared", n, g)
			}
		}
	}
	if _, ok := Lookup("sine"); ok {
		t.Error("a function that does not exist is there")
	}
}
