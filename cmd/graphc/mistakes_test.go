package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphc/graphc/frontend/formats"
	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/internal/tool/base"
)

// mistake is a section of docs/common-mistakes.md, or, if it has only a title, the heading of a
// part of the page.
type mistake struct{ title, command, advice string }

var mistakes = []mistake{
	{title: "Models of other programs"},
	{"A Keras archive", "graphc inspect m.keras", "A `.keras` file describes layers. Keras traces them into a graph of ops when it exports a SavedModel."},
	{"A Keras model in HDF5", "graphc inspect m.h5", "The same holds for `model.save(\"m.h5\")`."},
	{"Weights in HDF5", "graphc inspect m.weights.h5", "The file has no layers either. Only the program that builds the model can use it."},
	{"A Keras configuration", "graphc inspect keras_config.json", "`model.to_json()` has the layers without their weights."},
	{"A tfjs layers model", "graphc inspect layers", "tfjs has two formats. graphc reads graph models, the first ones too, whose `model.json` has no key `format`."},
	{"TensorFlow Lite", "graphc inspect m.tflite", "The conversion to TensorFlow Lite loses the original ops. Compile the model that it was made from, if you have it."},
	{"ONNX", "graphc inspect m.onnx", "onnx2tf writes a SavedModel. Its images are NHWC where those of ONNX are NCHW."},
	{"Core ML", "graphc inspect m.mlmodel", "A `.mlpackage` folder gets the same answer."},
	{"PyTorch", "graphc inspect m.pt", "A `.pt` or `.pth` file needs the Python class of the model. The way to TensorFlow is ONNX."},
	{"A pickle", "graphc inspect m.pkl", "Loading a pickle runs the code in it: load only files that you trust."},
	{"Safetensors", "graphc inspect m.safetensors", "The file has names and values of tensors, and not what is computed of them. The same holds for GGUF."},
	{"MLIR and StableHLO", "graphc inspect m.mlir", "StableHLO has no way back into TensorFlow's ops."},
	{"A NumPy array in the place of a model", "graphc inspect x.npy", "Arrays are what a model is fed."},
	{title: "Files of TensorFlow that are not a graph"},
	{"A checkpoint folder", "graphc inspect checkpoint1", "A checkpoint has values. The graph is in the `.meta` file beside it, in a SavedModel, or in the program that made it."},
	{"A checkpoint without its graph", "graphc inspect checkpoint2/ckpt-1", "TensorFlow 2 writes no graph beside a checkpoint. Give a graph with `--checkpoint`, or save the model with `tf.saved_model.save`."},
	{"One file of a checkpoint", "graphc inspect checkpoint1/model.ckpt.data-00000-of-00001", ""},
	{"The folder of variables", "graphc inspect signed/1/variables", ""},
	{"The folder above a SavedModel", "graphc inspect signed", "TensorFlow Serving keeps each version of a model in a folder with a number. The message names the last one."},
	{"A SavedModel without signatures", "graphc build no_signatures -o model", "`tf.saved_model.save` writes a signature only for functions with an `input_signature`, or for those that it is given. The line gives it the first traced form of the function."},
	{"A module of TF Hub", "graphc inspect hub", "Modules of the first format have the file `tfhub_module.pb`."},
	{"saved_model.pb under another name", "graphc inspect renamed.pb", "If the model has variables, copy the folders `variables` and `assets` too."},
	{"A MetaGraphDef", "graphc inspect metagraph.pb", ""},
	{"A MetaGraphDef as text", "graphc inspect metagraph.pbtxt", ""},
	{title: "Downloads and archives"},
	{"An archive of a SavedModel", "graphc inspect signed.tar.gz", "TF Hub and Kaggle offer models as `.tar.gz`. A `.zip` gets the same answer with `unzip`."},
	{"Another archive", "graphc inspect stuff.zip", ""},
	{"A compressed graph", "graphc inspect graph.pb.gz", ""},
	{"A Git LFS pointer", "graphc inspect lfs.pb", "A clone without Git LFS has this text in the place of the file."},
	{"A web page", "graphc inspect page.pb", "A link to a file's page on a site, or one that needs a login, gives a page. On GitHub and Hugging Face the address of the file has `raw` or `resolve` where that of the page has `blob`."},
	{"An empty file", "graphc inspect empty.pb", ""},
	{"A Python program", "graphc inspect train.py", "A notebook gets the same answer."},
	{"A file that is not there", "graphc inspect missing.pb", "A path is relative to the folder that you are in."},
	{title: "Graphs"},
	{"Python functions in a graph", "graphc build python.pbtxt -o model", "`tf.py_function` and `tf.numpy_function` call functions that are not in the graph. [examples/pyfunc](../examples/pyfunc) has a Go function in the place of one; [go-ops.md](go-ops.md) says how."},
	{"Ops that graphc does not have", "graphc build unknown.pbtxt -o model", "`graphc ops` lists the ops that compile. A Go function can be the kernel of any op: [go-ops.md](go-ops.md)."},
	{"A signature's name", "graphc run signed/1 --signature serving", "`graphc inspect` lists the signatures."},
	{title: "Feeds"},
	{"A feed's name", "graphc run signed/1 --feed y=[1,2]", "`graphc inspect` lists the feeds of each signature."},
	{"A missing feed", "graphc run signed/1", "Numbers are given as JSON, `--feed x=[1,2]`, or in a file."},
	{"Numbers that are not JSON", "graphc run signed/1 --feed x=1,2", ""},
	{"Strings", "graphc run strings.pbtxt --feed 'text=loved it'", "One string may be given as it is where one is enough: `--feed 'text=loved it'` feeds a scalar, or a vector of one. This feed is a matrix, so that JSON says where the string is. For more strings give JSON, `--feed 'text=[\"loved it\", \"never again\"]'`, or a file."},
	{"A shape that does not fit", "graphc run signed/1 --feed x=[1,2,3]", ""},
}

// mistakenGraphs are the graphs for some of the mistakes, by file name. The models for all other
// mistakes are in models.zip.
var mistakenGraphs = map[string]string{
	"python.pbtxt": `node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { } } } }
node { name: "y" op: "EagerPyFunc" input: "x" attr { key: "token" value { s: "pyfunc_0" } } attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } }
versions { producer: 1000 }`,
	"unknown.pbtxt": `node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } attr { key: "shape" value { shape { } } } }
node { name: "y" op: "DecodeJxl" input: "x" } versions { producer: 1000 }`,
	"strings.pbtxt": `node { name: "text" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } attr { key: "shape" value { shape { dim { size: -1 } dim { size: 1 } } } } }
node { name: "y" op: "StringLower" input: "text" } versions { producer: 1000 }`,
}

const mistakesIntro = `# Common mistakes

graphc recognises files that it does not read by their content, whatever their names are. The
message says what the file is, why graphc does not read it, and what to run. The command has your
path, so that you can copy it. graphc does not run it.

This page lists the messages. ` + "`go test ./cmd/graphc -run TestMistakes -update`" + ` writes it by
running the commands.
`

// TestMistakes compares docs/common-mistakes.md with the messages that the commands print. With
// -update it writes the page.
func TestMistakes(t *testing.T) {
	root := testkit.Root(t)
	z, err := zip.OpenReader(filepath.Join(root, "frontend/formats/testdata/models.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", z); err != nil {
		t.Fatal(err)
	}
	for name, text := range mistakenGraphs {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	b.WriteString(mistakesIntro)
	for _, m := range mistakes {
		if m.command == "" {
			b.WriteString("\n## " + m.title + "\n")
			continue
		}
		args := strings.Fields(strings.TrimPrefix(m.command, "graphc "))
		if before, quoted, ok := strings.Cut(m.command, " '"); ok {
			args = append(strings.Fields(strings.TrimPrefix(before, "graphc ")), strings.TrimSuffix(quoted, "'"))
		}
		code, _, errs := command(args...)
		if code == base.ExitOK || errs == "" {
			t.Errorf("%s: exit %d, %s", m.command, code, errs)
		}
		checkFlags(t, args, errs)
		b.WriteString("\n### " + m.title + "\n\n    $ " + m.command + "\n    " + strings.ReplaceAll(strings.TrimSpace(errs), "\n", "\n    ") + "\n")
		if m.advice != "" {
			b.WriteString("\n" + wrapped(m.advice) + "\n")
		}
	}
	text := b.String()
	for _, f := range formats.Table() {
		if f.Kind == "" && !strings.Contains(text, "this is "+f.Name) && !alike[f.Name] {
			t.Errorf("the page has no message of %s", f.Name)
		}
	}
	page := filepath.Join(root, "docs/common-mistakes.md")
	if *update {
		if err := os.WriteFile(page, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(page); err != nil || string(have) != text {
		t.Errorf("docs/common-mistakes.md is stale (%v): go test ./cmd/graphc -run TestMistakes -update", err)
	}
}

// alike has the formats that the page need not show, because their messages differ only in the
// format's name from messages on the page.
var alike = map[string]bool{"a Core ML package": true, "a GGUF file": true, "an archive of NumPy arrays": true, "an archive of a tfjs model": true, "a Jupyter notebook": true}

// wrapped breaks a text into lines of at most 100 columns.
func wrapped(text string) string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(text) {
		if line != "" && len(line)+1+len(w) > 100 {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + w)
	}
	return strings.Join(append(lines, line), "\n")
}
