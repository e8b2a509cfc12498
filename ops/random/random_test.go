package random

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

func TestLastColumns(t *testing.T) {
	got, err := lastColumns("a,1\n\nb,c, 2.5\r\n3\n")
	if err != nil || !slices.Equal(got, []float32{1, 2.5, 3}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := lastColumns("a,1\nb,x\n"); code(err) != tensor.InvalidArgument {
		t.Error(err)
	}
}

func code(err error) tensor.Code {
	var e *tensor.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return tensor.OK
}

// TestSamplerAttributes checks the errors for attributes of candidate samplers.
func TestSamplerAttributes(t *testing.T) {
	node := func(op string, attrs map[string]ir.Attr) *lower.Builder {
		return lower.NewBuilder(&ir.Node{Name: "n", Op: op, Attrs: attrs}, lower.Files(func(name string) ([]byte, error) {
			if name == "vocab.txt" {
				return []byte("x,1\ny,4\n"), nil
			}
			return nil, tensor.Errorf(tensor.NotFound, "%s", name)
		}))
	}
	for _, c := range []struct {
		op   string
		max  int64
		want tensor.Code
	}{
		{"UniformCandidateSampler", 0, tensor.InvalidArgument},
		{"UniformCandidateSampler", math.MaxInt32, tensor.OK},
		{"LearnedUnigramCandidateSampler", math.MaxInt32, tensor.InvalidArgument},
		{"AllCandidateSampler", 0, tensor.OK},
	} {
		_, err := samplerRange(node(c.op, map[string]ir.Attr{"range_max": c.max, "num_sampled": int64(3)}).Node)
		if code(err) != c.want {
			t.Errorf("%s of %d: %v", c.op, c.max, err)
		}
	}
	for _, c := range []struct {
		what     string
		file     string
		given    []float32
		shards   int64
		reserved int64
		size     int
		want     tensor.Code
		weights  []float32
		total    float32
	}{
		{"a list", "", []float32{1, 4}, 1, 1, 3, tensor.OK, []float32{0, 1, 2}, 3},
		{"a file", "vocab.txt", nil, 1, 0, 2, tensor.OK, []float32{1, 2}, 3},
		{"a shard", "", []float32{1, 4, 9}, 2, 0, 2, tensor.OK, []float32{1, 3}, 4},
		{"nothing", "", nil, 1, 0, 2, tensor.InvalidArgument, nil, 0},
		{"both", "vocab.txt", []float32{1}, 1, 0, 2, tensor.InvalidArgument, nil, 0},
		{"no shards", "", []float32{1}, 0, 0, 2, tensor.InvalidArgument, nil, 0},
		{"another file", "x", nil, 1, 0, 2, tensor.NotFound, nil, 0},
		{"too few", "vocab.txt", nil, 1, 0, 3, tensor.InvalidArgument, nil, 0},
		{"too many reserved", "vocab.txt", nil, 1, 1 << 40, 3, tensor.InvalidArgument, nil, 0},
	} {
		b := node("FixedUnigramCandidateSampler", map[string]ir.Attr{"vocab_file": c.file, "unigrams": c.given,
			"num_shards": c.shards, "shard": int64(0), "num_reserved_ids": c.reserved, "distortion": float32(.5)})
		weights, total, err := unigrams(b, c.size)
		if code(err) != c.want || c.want == tensor.OK && (!slices.Equal(weights, c.weights) || total != c.total) {
			t.Errorf("%s: %v, %v, %v", c.what, weights, total, err)
		}
	}
}
