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
	{"A Keras model in HDF5", "graphc inspect m.h5", "`model.save(\"m.h5\")` writes such a file. It describes layers, as a `.keras` file does."},
	{"Weights in HDF5", "graphc inspect m.weights.h5", "The file has neither ops nor layers. Only the program that builds the model can use it."},
	{"A Keras configuration", "graphc inspect keras_config.json", "`model.to_json()` has the layers without their weights."},
	{"A tfjs layers model", "graphc inspect layers", "TensorFlow.js has two formats: layers models and graph models. graphc reads only graph models. It also reads early graph models, whose `model.json` has no key `format`. If `tensorflowjs_converter` 4.22 stops with an error about versions of Protobuf, `pip install ydf==0.11.0` mends its installation."},
	{"TensorFlow Lite", "graphc inspect m.tflite", "The conversion to TensorFlow Lite loses the original ops. If you have the model from which the `.tflite` file was made, compile that model instead."},
	{"ONNX", "graphc inspect m.onnx", "onnx2tf writes a SavedModel. The SavedModel expects images in the layout NHWC, even if the ONNX model expects NCHW."},
	{"Core ML", "graphc inspect m.mlmodel", "For a `.mlpackage` folder, the message is the same."},
	{"PyTorch", "graphc inspect m.pt", "A `.pt` or `.pth` file needs the Python class of the model. To convert a PyTorch model to TensorFlow, convert it to ONNX first."},
	{"A pickle", "graphc inspect m.pkl", "Loading a pickle runs the code in it: load only files that you trust."},
	{"Safetensors", "graphc inspect m.safetensors", "The file has names and values of tensors, but no computations. The same holds for GGUF files."},
	{"MLIR and StableHLO", "graphc inspect m.mlir", "StableHLO cannot be converted back to TensorFlow's ops."},
	{"A NumPy array in the place of a model", "graphc inspect x.npy", "Arrays are inputs of a model."},
	{title: "Files of TensorFlow that are not a graph"},
	{"A checkpoint folder", "graphc inspect checkpoint1", "A checkpoint has values. The graph is in the `.meta` file beside it, in a SavedModel, or in the program that wrote the checkpoint."},
	{"A checkpoint without its graph", "graphc inspect checkpoint2/ckpt-1", "TensorFlow 2 writes no graph beside a checkpoint. Give a graph with `--checkpoint`, or save the model with `tf.saved_model.save`."},
	{"One file of a checkpoint", "graphc inspect checkpoint1/model.ckpt.data-00000-of-00001", ""},
	{"The folder of variables", "graphc inspect signed/1/variables", ""},
	{"The folder above a SavedModel", "graphc inspect signed", "TensorFlow Serving keeps each version of a model in a folder with a number. The message names the last of these folders, in the order of their names."},
	{"A SavedModel without signatures", "graphc build no_signatures -o model", "`tf.saved_model.save` writes a signature only for functions with an `input_signature`, or for functions that its argument `signatures` names. The command in the message names the first traced form of the function."},
	{"A module of TF Hub", "graphc inspect hub", "Modules of the first format have the file `tfhub_module.pb`."},
	{"saved_model.pb under another name", "graphc inspect renamed.pb", "If the model has variables, copy the folders `variables` and `assets` too."},
	{"A MetaGraphDef", "graphc inspect metagraph.pb", ""},
	{"A MetaGraphDef as text", "graphc inspect metagraph.pbtxt", ""},
	{title: "Downloads and archives"},
	{"An archive of a SavedModel", "graphc inspect signed.tar.gz", "TF Hub and Kaggle offer models as `.tar.gz`. For a `.zip` file, the message names `unzip`."},
	{"Another archive", "graphc inspect stuff.zip", ""},
	{"A compressed graph", "graphc inspect graph.pb.gz", ""},
	{"A Git LFS pointer", "graphc inspect lfs.pb", "A clone made without Git LFS contains a short text instead of the file."},
	{"A web page", "graphc inspect page.pb", "A link to the page about a file, or a link that needs a login, downloads a web page. On GitHub and Hugging Face, the address of the page contains `blob`. The address of the file contains `raw` or `resolve` in its place."},
	{"An empty file", "graphc inspect empty.pb", ""},
	{"A Python program", "graphc inspect train.py", "For a notebook, the message is the same."},
	{"A file that is not there", "graphc inspect missing.pb", "A path is relative to the folder that you are in."},
	{title: "Graphs"},
	{"Python functions in a graph", "graphc build python.pbtxt -o model", "`tf.py_function` and `tf.numpy_function` call functions that are not in the graph. [examples/pyfunc](../examples/pyfunc) replaces such a function by a Go function; [go-ops.md](go-ops.md) explains how."},
	{"Ops that graphc does not have", "graphc build unknown.pbtxt -o model", "`graphc ops` lists the ops that compile. A Go function can be the kernel of any op: [go-ops.md](go-ops.md)."},
	{"A signature's name", "graphc run signed/1 --signature serving", "`graphc inspect` lists the signatures."},
	{title: "Feeds"},
	{"A feed's name", "graphc run signed/1 --feed y=[1,2]", "`graphc inspect` lists the feeds of each signature."},
	{"A missing feed", "graphc run signed/1", "Numbers are given as JSON, `--feed x=[1,2]`, or in a file."},
	{"Numbers that are not JSON", "graphc run signed/1 --feed x=1,2", ""},
	{"Strings", "graphc run strings.pbtxt --feed 'text=loved it'", "A feed that is a scalar, or a vector of one element, accepts a string without JSON: `--feed 'text=loved it'`. The feed in this example is a matrix, so JSON is needed. For several strings, too, give JSON, `--feed 'text=[\"loved it\", \"never again\"]'`, or a file."},
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

// alike holds the formats without an entry on the page. The message for such a format equals a
// message that is on the page, except for the name of the format.
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
