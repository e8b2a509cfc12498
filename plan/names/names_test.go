package names

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt"
)

// keras are node names of a Keras model's signature.
var keras = []string{
	"StatefulPartitionedCall_1/StatefulPartitionedCall/tagger_1/both_1/zeros",
	"StatefulPartitionedCall_1/StatefulPartitionedCall/tagger_1/both_1/while",
	"StatefulPartitionedCall_1/StatefulPartitionedCall/tagger_1/both_1/while/variable_0",
	"StatefulPartitionedCall_1/StatefulPartitionedCall/tagger_1/both_1/while/cond/tagger_1/both_1/while/Less",
	"StatefulPartitionedCall_1/StatefulPartitionedCall/tagger_1/both_1/while/body/tagger_1/both_1/while/cell_1/MatMul",
	"StatefulPartitionedCall_1/StatefulPartitionedCall/tagger_1/both_1/while/body/_7/tagger_1/both_1/while/cell_1/mul",
	"StatefulPartitionedCall_1/StatefulPartitionedCall/tagger_1/block/StatefulPartitionedCall/dense/Relu",
	"StatefulPartitionedCall_1/StatefulPartitionedCall/tagger_1/block/StatefulPartitionedCall_12/PartitionedCall/dense/Relu",
	"StatefulPartitionedCall_1/StatefulPartitionedCall/tagger_1/block/x/StatefulPartitionedCall",
	"StatefulPartitionedCall_1/StatefulPartitionedCall/tagger_1/answer_1/MatMul",
	"StatefulPartitionedCall_1/IdentityN",
}

func TestShort(t *testing.T) {
	n := Of(keras)
	want := []string{"both_1/zeros", "both_1/while", "both_1/while/variable_0", "both_1/while/cond/…/Less", "both_1/while/body/…/cell_1/MatMul",
		"both_1/while/body/_7/…/cell_1/mul", "block/…/dense/Relu", "block/…12/dense/Relu", "block/x/StatefulPartitionedCall", "answer_1/MatMul",
		"/StatefulPartitionedCall_1/IdentityN"}
	for i, k := range keras {
		if got := n.Short(k); got != want[i] {
			t.Errorf("%s: %s, want %s", k, got, want[i])
		}
	}
	for name, want := range map[string]string{
		"": "", "kernel_1/value": "/kernel_1/value", keras[0] + ":1": "both_1/zeros:1", keras[3] + "/scratch1": "both_1/while/cond/…/Less/scratch1",
		keras[0] + " … " + keras[9]:                                   "both_1/zeros … answer_1/MatMul",
		"StatefulPartitionedCall_1/StatefulPartitionedCall/tagger_1/": "/StatefulPartitionedCall_1/StatefulPartitionedCall/tagger_1/",
	} {
		got := n.Short(name)
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if full := n.Full(got); full != name {
			t.Errorf("%s is the full name of %s, want %s", full, got, name)
		}
	}
}

// TestStable checks that short names do not depend on the order of the nodes, and do not change if
// nodes with other names are added.
func TestStable(t *testing.T) {
	n := Of(keras)
	more := append(slices.Clone(keras), "other/Relu")
	for i := range 40 {
		more = append(more, fmt.Sprintf("StatefulPartitionedCall_1/StatefulPartitionedCall/tagger_1/layer_%d/StatefulPartitionedCall_%d/MatMul", i%7, i))
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(more), func(i, j int) { more[i], more[j] = more[j], more[i] })
	m := Of(append(more, more...))
	for _, k := range keras {
		if a, b := n.Short(k), m.Short(k); a != b {
			t.Errorf("%s: %s, with other nodes %s", k, a, b)
		}
	}
}

// TestUnclear: scopes are kept if one short name would stand for several of them.
func TestUnclear(t *testing.T) {
	all := []string{"a/StatefulPartitionedCall/x", "a/PartitionedCall/x", "b/PartitionedCall/x"}
	n := Of(all)
	want := []string{all[0], all[1], "b/…/x"}
	for i, s := range all {
		if got := n.Short(s); got != want[i] {
			t.Errorf("%s: %s, want %s", s, got, want[i])
		}
	}
}

// TestPlain: names with nothing to omit stay unchanged.
func TestPlain(t *testing.T) {
	for _, all := range [][]string{nil, {"x"}, {"a/x", "b/y"}, {"a/b/a/b/x", "b"}, {"a/x", "a/y", "/a/z"}, {"variable/Assign", "variable/Read"}, {"s/x", "s/…/y"}, {""}} {
		n := Of(all)
		for _, s := range all {
			if got := n.Short(s); got != s {
				t.Errorf("of %q: %s is %s", all, s, got)
			}
		}
	}
}

// TestLong: names that are still long lose their beginning.
func TestLong(t *testing.T) {
	long := "re_lu_7/Relu6_model_1/batch_normalization_10/FusedBatchNormV3_model_1/model/depthwise_conv2d_3/depthwise/"
	outside := strings.Repeat("scope/other", 10) + "/x"
	all := []string{"s/" + long + "Conv2D", "s/" + long + "Conv2D_1", outside}
	for i := range 30 {
		all = append(all, fmt.Sprintf("s/%d/x", i))
	}
	n := Of(all)
	for _, name := range []string{all[0], all[0] + "/scratch12", all[1] + ":1", outside, outside + ":0"} {
		short := n.Short(name)
		_, rest, _ := strings.Cut(strings.TrimPrefix(short, "/"), "/")
		if tooLong(short) || !strings.HasSuffix(name, "/"+rest) {
			t.Errorf("%s is %s", name, short)
		}
		if full := n.Full(short); full != name {
			t.Errorf("%s is %s, which is %s", name, short, full)
		}
	}
	if len(n.Scopes()) != 3 {
		t.Errorf("%v", n.Scopes())
	}
	deep := strings.Repeat("PartitionedCall/scope_of_calls/", 10_000) + "x"
	if got := Of([]string{deep, deep + "/y"}).Short(deep); tooLong(got) || strings.Count(got, "/") > 4 {
		t.Errorf("a name of many parts is %s", got)
	}
	endless := strings.Repeat("x", 300)
	if got := Of([]string{endless, "PartitionedCall/x"}).Short(endless); got != endless {
		t.Errorf("a name of one part is %s", got)
	}
}

// TestNames: for random names, short names differ if the names do, and Full returns the full name
// for each of them.
func TestNames(t *testing.T) {
	words := []string{"a", "model", "classifier_block", "while", "body", "PartitionedCall", "StatefulPartitionedCall_1", "StatefulPartitionedCall"}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 3))
		var all []string
		for range r.IntN(30) {
			var parts []string
			for range 1 + r.IntN(14) {
				parts = append(parts, words[r.IntN(2+r.IntN(len(words)-1))])
			}
			all = append(all, strings.Join(parts, "/"))
		}
		n := Of(all)
		back := map[string]string{}
		for _, s := range all {
			short := n.Short(s)
			if full := n.Full(short); full != s {
				t.Fatalf("seed %d: %s is %s, which is %s", seed, s, short, full)
			}
			if other, ok := back[short]; ok && other != s {
				t.Fatalf("seed %d: %s and %s are %s", seed, s, other, short)
			}
			back[short] = s
			if (&rt.Info{Scopes: n.Scopes()}).FullName(short) != s {
				t.Fatalf("seed %d: hooks get another name than %s", seed, s)
			}
		}
	}
}
