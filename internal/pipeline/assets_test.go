package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestAssetsOfOneName: the paths in the SavedModel's folder distinguish assets with the same file
// name.
func TestAssetsOfOneName(t *testing.T) {
	attr := func(key, value string) string { return fmt.Sprintf("attr { key: %q value { %s } }\n", key, value) }
	node := func(name, op, ins string, attrs ...string) string {
		text := fmt.Sprintf("node { name: %q op: %q\n", name, op)
		for _, in := range strings.Fields(ins) {
			text += fmt.Sprintf("input: %q ", in)
		}
		return text + strings.Join(attrs, "") + "}\n"
	}
	table := func(lang string) string {
		types := []string{attr("Tin", "type: DT_STRING"), attr("Tout", "type: DT_INT64")}
		return node("file_"+lang, "Const", "", attr("dtype", "type: DT_STRING"), attr("value", `tensor { dtype: DT_STRING tensor_shape {} string_val: "" }`)) +
			node("table_"+lang, "HashTableV2", "", attr("key_dtype", "type: DT_STRING"), attr("value_dtype", "type: DT_INT64"), attr("shared_name", fmt.Sprintf("s: %q", lang))) +
			node("read_"+lang, "InitializeTableFromTextFileV2", "table_"+lang+" file_"+lang, attr("key_index", "i: -2"), attr("value_index", "i: -1")) +
			node(lang, "LookupTableFindV2", "table_"+lang+" x none", types...)
	}
	info := func(name, d, shape string) string {
		return fmt.Sprintf("value { name: %q dtype: %s tensor_shape { %s } }", name, d, shape)
	}
	text := "saved_model_schema_version: 1\nmeta_graphs {\nmeta_info_def { tags: \"serve\" }\ngraph_def {\n" +
		node("x", "Placeholder", "", attr("dtype", "type: DT_STRING"), attr("shape", "shape { dim { size: 2 } }")) +
		node("none", "Const", "", attr("dtype", "type: DT_INT64"), attr("value", "tensor { dtype: DT_INT64 tensor_shape {} int64_val: -1 }")) +
		table("en") + table("de") + node("init", "NoOp", "^read_en ^read_de") + "}\n" +
		`signature_def { key: "serving_default" value { inputs { key: "x" ` + info("x:0", "DT_STRING", "dim { size: 2 }") +
		` } outputs { key: "en" ` + info("en:0", "DT_INT64", "dim { size: 2 }") + ` } outputs { key: "de" ` + info("de:0", "DT_INT64", "dim { size: 2 }") + " } } }\n" +
		`signature_def { key: "__saved_model_init_op" value { outputs { key: "__saved_model_init_op" value { name: "init" tensor_shape { unknown_rank: true } } } } }` + "\n" +
		`asset_file_def { tensor_info { name: "file_en:0" } filename: "en/words.txt" }` + "\n" +
		`asset_file_def { tensor_info { name: "file_de:0" } filename: "de/words.txt" }` + "\n}\n"

	dir := t.TempDir()
	for name, what := range map[string]string{"saved_model.pbtxt": text, "assets/en/words.txt": "tree\nbird\n", "assets/de/words.txt": "Baum\nVogel\ntree\n"} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(what), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Compile([]string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	state, err := p.NewState()
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Signatures[0].RunnerWith(state)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Run(context.Background(), map[string]*tensor.Tensor{"x:0": tensor.Must(tensor.From(tensor.Shape{2}, []string{"tree", "Vogel"}))})
	if err != nil {
		t.Fatal(err)
	}
	if en, de := tensor.Data[int64](got["en:0"]), tensor.Data[int64](got["de:0"]); !slices.Equal(en, []int64{0, -1}) || !slices.Equal(de, []int64{2, 1}) {
		t.Errorf("en %v, de %v", en, de)
	}
}
