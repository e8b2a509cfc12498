package lists

import (
	"bytes"
	"strings"
	"testing"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/internal/tool/base"
)

// TestFamilies checks that TensorFlow has every op in familyText, and that no op is in two
// families. It also checks that the numbers of ops in the families add up to the number of all ops.
func TestFamilies(t *testing.T) {
	seen := map[string]string{}
	for line := range strings.Lines(familyText) {
		name, ops, ok := strings.Cut(line, ": ")
		if !ok {
			t.Fatalf("no family: %q", line)
		}
		for _, op := range strings.Fields(ops) {
			if opdef.Lookup(op) == nil {
				t.Errorf("%s: TensorFlow has no op %q", name, op)
			}
			if other := seen[op]; other != "" {
				t.Errorf("%s is of %s and of %s", op, other, name)
			}
			seen[op] = name
		}
	}
	missing, have := missingOps()
	sum, all := 0, 0
	for _, f := range opFamilies() {
		n := f.have + len(f.open)
		for _, c := range f.groups {
			n += c
		}
		if n != f.all {
			t.Errorf("%s: %d ops are accounted for, %d there are", f.name, n, f.all)
		}
		sum, all = sum+f.have, all+f.all
	}
	if sum != have || all != have+len(missing) || all != len(opdef.Names()) {
		t.Errorf("%d of %d ops by family, %d of %d in all", sum, all, have, have+len(missing))
	}
}

// TestMissing checks that each group of missing ops is printed once. The group of ops that graphc
// lacks although programs could use them comes first.
func TestMissing(t *testing.T) {
	var out bytes.Buffer
	if err := opsMissing((&base.App{Out: &out})); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), notWritten+" (") {
		t.Errorf("begins with %.40q", out.String())
	}
	for _, group := range append([]scope{{group: "refused"}}, outOfScope...) {
		if n := strings.Count("\n"+out.String(), "\n"+group.group+" ("); n != 1 {
			t.Errorf("group %q is printed %d times", group.group, n)
		}
	}
	for _, want := range []string{"\nlinalg ", " of the 1908 ops"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q", want)
		}
	}
}
