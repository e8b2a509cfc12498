package names

import (
	"go/token"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestUnexported(t *testing.T) {
	for name, want := range map[string]string{"Predict": "predict", "IDs": "iDs", "ID": "id", "URLOf": "urlOf", "X中": "x中"} {
		if got := Unexported(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestLastWords(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"a/StringSplit/StringSplitV2", "AStringSplitStringSplitV2"}, {"text_vectorization_1/StringSplit/StringSplitV2", "StringSplitStringSplitV2"},
		{"RaggedToTensor/RaggedTensorToTensor", "RaggedTensorToTensor"}, {"x", "X"}, {"", ""}, {"--/x", "X"},
		{"a/" + strings.Repeat("long", 10), "LonglonglonglonglonglongREST"},
	} {
		got := LastWords(c.path, 28)
		if begin, cut := strings.CutSuffix(c.want, "REST"); cut {
			if !strings.HasPrefix(got, begin) || utf8.RuneCountInString(got) != 28 || got == LastWords("b"+c.path, 28) {
				t.Errorf("%s: %s", c.path, got)
			}
		} else if got != c.want {
			t.Errorf("%s: %s, want %s", c.path, got, c.want)
		}
	}
}

// TestSizes: names of sizes differ, are not Go keywords, and do not depend on the order in which
// the sizes are given.
func TestSizes(t *testing.T) {
	long := strings.Repeat("long_name_", 10)
	all := []Size{
		{"d_p_0", "pixelsOfAllPicturesOfTheBatch", "Dim0", false}, {"d_l_0", long + "a", "Dim0", false}, {"d_l_1", long + "b", "Dim0", false},
		{"d_x_0", "scope/x", "Dim0", false}, {"d_y_0", "other/x", "Dim0", false}, {"d_z_0", "z", "Dim1", false}, {"s_type", "type", "", false},
		{"s_B", "B", "", false}, {"s_batch_size", "batch_size", "", false}, {"n_type", "type", "", true}, {"n_a_b", "a/b", "", true},
		{"v_range", "range", "I0", true}, {"n_w", "layer_1/block/Where", "", true}, {"n_w1", "layer_2/block/Where", "1", true},
		{"n_v", "vectorization_of_texts_1/dense/RaggedTensorToTensor", "", true}, {"n_v2", "vectorization_of_texts_2/dense/RaggedTensorToTensor", "", true},
		{"n_1", "1st", "", true}, {"n_", "--", "", true}, {"n_8", "größe/日本", "", true},
	}
	want := map[string]string{"d_x_0": "scopeXDim0", "d_y_0": "otherXDim0", "d_z_0": "zDim1", "s_B": "B", "s_batch_size": "batchSize", "n_a_b": "ab",
		"v_range": "rangeSizeI0", "n_w": "layer1BlockWhere", "n_w1": "layer2BlockWhere1", "n_1": "x1st", "n_": "size", "n_8": "größe日本"}
	named := Sizes(all)
	seen := map[string]bool{}
	for _, s := range all {
		name := named[s.Symbol]
		if seen[name] || !token.IsIdentifier(name) || utf8.RuneCountInString(name) > maxSize+len("Dim0") || strings.Contains(name, "_") {
			t.Errorf("%s is named %s", s.Symbol, name)
		}
		seen[name] = true
		if w := want[s.Symbol]; w != "" && name != w {
			t.Errorf("%s is named %s, want %s", s.Symbol, name, w)
		}
	}
	slices.Reverse(all)
	for symbol, name := range Sizes(all) {
		if named[symbol] != name {
			t.Errorf("%s is named %s, in another order %s", symbol, named[symbol], name)
		}
	}
}
