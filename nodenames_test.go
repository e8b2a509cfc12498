package graphc_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// lastStep records the steps of a run.
type lastStep struct{ info *rt.Info }

func (l *lastStep) Begin(_ context.Context, info *rt.Info) rt.Observer { l.info = info; return nil }

// TestKerasNames: in a Keras model's signatures, the names of all nodes begin with the names of the
// inlined calls and of the model. The emitted code of a signature contains this prefix only in the
// file's head and in the table of scopes, and no error contains it. Hooks and reports can get the
// full names.
func TestKerasNames(t *testing.T) {
	m := load(t, testkit.Case(t, "features", "saved-model/keras_text_classifier").ModelPath, nil)
	p := compile(t, m, nil)
	scopes := map[string]string{
		"classify_tokens": "StatefulPartitionedCall/StatefulPartitionedCall/classifier_1/",
		"serve":           "StatefulPartitionedCall_1/StatefulPartitionedCall/sentiment_1/",
		"serving_default": "StatefulPartitionedCall_2/StatefulPartitionedCall/sentiment_1/",
	}
	files := filesOf(t, p, nil)
	call := regexp.MustCompile(`\S*PartitionedCall\S*/`)
	// serve computes the same results as serving_default and is omitted
	for _, signature := range []string{"classify_tokens", "serving_default"} {
		scope := scopes[signature]
		text := string(files["model_"+signature+".gen.go"])
		for _, want := range []string{"pooling_1/Mean", "// Node names omit the scope \"" + scope + "\", which nearly all"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %s", signature, want)
			}
		}
		if got := call.FindAllString(text, -1); len(got) != 2 { // once in the file's head, and once in the table of scopes
			t.Errorf("%s names calls %d times: %q", signature, len(got), got)
		}
	}

	r, err := m.Inspect(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Signatures {
		if s.Scope != scopes[s.Name] {
			t.Errorf("the scope of %s is %q", s.Name, s.Scope)
		}
		if s.Name == "serve" && (s.Fetches[0].Shape != "[raggedTensorToTensor,3]" || s.FLOPsOf != "132*raggedTensorToTensor") {
			t.Errorf("%+v", s)
		}
	}

	n, err := p.NewInstance(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	hook := &lastStep{}
	_, err = n.Run(rt.WithRun(t.Context(), rt.Observe(hook)), "classify_tokens", map[string]*tensor.Tensor{
		"tokens": {DType: tensor.Int64, Shape: tensor.Shape{1, 2}, Data: []int64{1, 99}}})
	if want := `node "embedding_1/GatherV2" (GatherV2)`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if got, want := hook.info.FullName("embedding_1/GatherV2"), scopes["classify_tokens"]+"embedding_1/GatherV2"; got != want {
		t.Errorf("hooks get %s, want %s", got, want)
	}
}
