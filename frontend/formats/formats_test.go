package formats

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/graphc/graphc/rt/tensor"
)

// models returns the folder that testdata/make.py, make_others.py and make_plain.py wrote: models
// of TensorFlow, Keras, ONNX and others.
func models(t testing.TB) string {
	t.Helper()
	z, err := zip.OpenReader("testdata/models.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	dir := t.TempDir()
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
	return dir
}

// system is the file system as a Source.
type system struct{}

func (system) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }
func (system) Open(path string) (fs.File, error)     { return os.Open(path) }
func (system) Names(dir string, _ int) (names []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestOf: each file is recognised by its content, and the command in the error contains the user's
// path.
func TestOf(t *testing.T) {
	t.Chdir(models(t))
	tests := []struct{ path, name, run string }{
		{"m.keras", "a Keras archive (.keras)", `python -c 'import keras; keras.models.load_model("m.keras").export("m_saved_model")'`},
		{"m.h5", "a Keras model in HDF5", `python -c 'import keras; keras.models.load_model("m.h5").export("m_saved_model")'`},
		{"m.weights.h5", "a weights file in HDF5", `model.load_weights("m.weights.h5"); model.export("m_saved_model")`},
		{"keras_config.json", "a Keras model's configuration", `python -c 'import keras; model = keras.models.model_from_json(open("keras_config.json").read()); model.load_weights("WEIGHTS"); model.export("keras_config_saved_model")'`},
		{"layers/model.json", "a tfjs layers model", `tensorflowjs_converter --input_format=tfjs_layers_model --output_format=tfjs_graph_model layers/model.json layers/model_graph_model`},
		{"old_layers.json", "a tfjs layers model", `tensorflowjs_converter --input_format=tfjs_layers_model --output_format=tfjs_graph_model old_layers.json old_layers_graph_model`},
		{"m.tflite", "a TensorFlow Lite model", "python -m tf2onnx.convert --tflite m.tflite --output m.onnx\nonnx2tf -i m.onnx -o m_saved_model"},
		{"m.onnx", "an ONNX model", "onnx2tf -i m.onnx -o m_saved_model"},
		{"bare.onnx", "an ONNX model", "onnx2tf -i bare.onnx -o bare_saved_model"},
		{"m.mlmodel", "a Core ML model", `tf.saved_model.save(model, "m_saved_model")`},
		{"m.mlpackage", "a Core ML package", `tf.saved_model.save(model, "m_saved_model")`},
		{"m.pt", "a PyTorch model", "torch.onnx.export(model, (input,), \"m.onnx\")\nonnx2tf -i m.onnx -o m_saved_model"},
		{"old.pth", "a PyTorch model", "torch.onnx.export(model, (input,), \"old.onnx\")\nonnx2tf -i old.onnx -o old_saved_model"},
		{"m.pkl", "a Python pickle", `tf.saved_model.save(model, "m_saved_model")`},
		{"m.safetensors", "a safetensors file", `tf.saved_model.save(model, "m_saved_model")`},
		{"m.gguf", "a GGUF file", `tf.saved_model.save(model, "m_saved_model")`},
		{"m.mlir", "an MLIR module", `tf.saved_model.save(model, "m_saved_model")`},
		{"m.mlirbc", "an MLIR module", `tf.saved_model.save(model, "m_saved_model")`},
		{"x.npy", "a NumPy array", "graphc run MODEL --feed NAME=x.npy"},
		{"x.npz", "an archive of NumPy arrays", "graphc run MODEL --feed x.npz"},
		{"signed.zip", "an archive of a SavedModel", "unzip signed.zip -d signed"},
		{"signed.tar.gz", "an archive of a SavedModel", "mkdir -p signed && tar xzf signed.tar.gz -C signed"},
		{"web.zip", "an archive of a tfjs model", "unzip web.zip -d web"},
		{"stuff.tar", "an archive", "mkdir -p stuff && tar xf stuff.tar -C stuff"},
		{"stuff.zip", "an archive", "unzip stuff.zip -d stuff"},
		{"graph.pb.gz", "a file compressed with gzip", "gunzip -c <graph.pb.gz >graph.pb"},
		{"checkpoint1", "a checkpoint folder", "graphc inspect checkpoint1/model.ckpt.meta"},
		{"checkpoint1/model.ckpt", "a checkpoint's prefix", "graphc inspect checkpoint1/model.ckpt.meta"},
		{"checkpoint1/checkpoint", "a checkpoint file", "graphc inspect GRAPH.pb --checkpoint checkpoint1/PREFIX"},
		{"checkpoint1/model.ckpt.index", "a checkpoint file", "graphc inspect checkpoint1/model.ckpt.meta"},
		{"checkpoint2", "a checkpoint folder", "graphc inspect GRAPH.pb --checkpoint checkpoint2/model"},
		{"checkpoint2/ckpt-1.index", "a checkpoint file", "graphc inspect GRAPH.pb --checkpoint checkpoint2/ckpt-1"},
		{"checkpoint2/ckpt-1.data-00000-of-00001", "a checkpoint file", "graphc inspect GRAPH.pb --checkpoint checkpoint2/ckpt-1"},
		{"signed/1/variables", "the variables folder of a SavedModel", "graphc inspect signed/1"},
		{"signed", "a folder of models", "graphc inspect signed/1"},
		{"graphs", "a folder of models", "graphc inspect graphs/graph.pbtxt"},
		{"renamed.pb", "a SavedModel's file under another name", "mkdir -p renamed_saved_model && cp renamed.pb renamed_saved_model/saved_model.pb"},
		{"metagraph.pb", "a MetaGraphDef", "cp metagraph.pb metagraph.meta"},
		{"metagraph.pbtxt", "a MetaGraphDef in text form", "cp metagraph.pbtxt metagraph.meta.txt"},
		{"lfs.pb", "a Git LFS pointer", "git -C . lfs pull --include lfs.pb"},
		{"page.pb", "a web page", "curl -fL -o page.pb URL"},
		{"denied.pb", "a web page", "curl -fL -o denied.pb URL"},
		{"empty.pb", "an empty file", ""},
		{"train.py", "a Python program", `tf.saved_model.save(model, "train_saved_model")`},
		{"train.ipynb", "a Jupyter notebook", `tf.saved_model.save(model, "train_saved_model")`},
		{"hub", "a SavedModel", ""},
		{"no_signatures", "a SavedModel", ""},
		{"no_signatures/saved_model.pb", "a SavedModel's file", ""},
		{"checkpoint1/model.ckpt.meta", "a MetaGraphDef", ""},
		{"graphs/graph.pb", "a GraphDef", ""},
		{"graphs/graph.pbtxt", "a GraphDef", ""},
		// this package does not look into model.json; package frontend does
		{"layers", "a tfjs model's folder", ""},
	}
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	if _, err := z.Create("web/model.json"); err != nil || z.Close() != nil || os.WriteFile("web.zip", packed.Bytes(), 0o666) != nil {
		t.Fatal("web.zip is not written")
	}
	seen := map[string]bool{"a tfjs graph model": true} // in package frontend
	for _, c := range tests {
		for _, name := range []string{c.path, disguised(t, c.path)} {
			in, err := Open(system{}, name)
			if err != nil {
				t.Fatal(err)
			}
			f := Of(in)
			if f == nil || f.Name != c.name {
				t.Errorf("%s is %+v, want %s", name, f, c.name)
				in.Close()
				continue
			}
			seen[f.Name] = true
			e := f.Error(in).(*Error)
			if name == c.path && e.Run != c.run {
				t.Errorf("%s: run %q, want %q", name, e.Run, c.run)
			}
			if f.Kind == "" && (tensor.CodeOf(e) == tensor.Unknown || !strings.HasSuffix(e.Error(), strings.ReplaceAll(e.Run, "\n", "\n  "))) {
				t.Errorf("%s: %v", name, e)
			}
			in.Close()
		}
	}
	for _, f := range table {
		if !seen[f.Name] {
			t.Errorf("no file is %s", f.Name)
		}
	}
}

// disguised copies a file to graph.pb and returns the path of the copy, so that detection cannot
// use the file's name. It returns the name unchanged for a folder, and for a file that cannot be
// recognised by its content alone.
func disguised(t *testing.T, name string) string {
	t.Helper()
	if raw, err := os.ReadFile(name); err == nil && !strings.Contains(name, "checkpoint") && !strings.Contains(name, "saved_model.pb") {
		name = filepath.Join(t.TempDir(), "graph.pb")
		if err := os.WriteFile(name, raw, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return name
}

// TestReaderFormats checks the two formats that the readers of package frontend recognise: TF Hub
// modules and SavedModels without signatures. It checks their error messages.
func TestReaderFormats(t *testing.T) {
	t.Chdir(models(t))
	in := HubModule.Folder(system{}, "hub")
	if in == nil || HubModule.Folder(system{}, "no_signatures") != nil {
		t.Fatal("a module is not recognised")
	}
	if e := HubModule.Error(in).(*Error); !strings.Contains(e.Run, `tf.saved_model.load("hub", tags=[])`) || !strings.Contains(e.Run, `"hub_saved_model"`) {
		t.Error(e)
	}
	e := NoSignatures.Error(&Input{Path: "no_signatures", Function: "f"}).(*Error)
	if !strings.Contains(e.Run, `tf.saved_model.save(m, "no_signatures_saved_model", signatures=m.f.concrete_functions[0])`) {
		t.Error(e)
	}
}

// TestQuoting: paths are quoted for the shell and for Python.
func TestQuoting(t *testing.T) {
	for p, want := range map[string]string{
		"a b.onnx":  "onnx2tf -i 'a b.onnx' -o 'a b_saved_model'",
		"it's.onnx": `onnx2tf -i 'it'\''s.onnx' -o 'it'\''s_saved_model'`,
		"-i.onnx":   "onnx2tf -i ./-i.onnx -o ./-i_saved_model",
		"dir.x/m":   "onnx2tf -i dir.x/m -o dir.x/m_saved_model",
		".onnx":     "onnx2tf -i .onnx -o .onnx_saved_model",
		"$(x).onnx": "onnx2tf -i '$(x).onnx' -o '$(x)_saved_model'",
	} {
		for _, f := range table {
			if f.Name == "an ONNX model" {
				if got := f.run(&Input{Path: p}); got != want {
					t.Errorf("%s: %s, want %s", p, got, want)
				}
			}
		}
	}
	if got, want := exportKeras(&Input{Path: `a"b'%s.keras`}), `python -c 'import keras; keras.models.load_model("a\"b'\''%s.keras").export("a\"b'\''%s_saved_model")'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestRecorded: no graph of the recorded cases is mistaken for a format that graphc does not read.
func TestRecorded(t *testing.T) {
	archives, err := filepath.Glob("../../testdata/cases/*/*.zip")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	n := 0
	for _, a := range archives {
		if strings.Contains(a, "hostile") {
			continue
		}
		z, err := zip.OpenReader(a)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			switch base := path.Base(f.Name); path.Ext(base) {
			case ".pb", ".pbtxt", ".meta":
			case ".json":
				if base != "model.json" {
					continue
				}
			default:
				continue
			}
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			raw, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			n++
			if err := Unread(Bytes(f.Name, raw)); err != nil {
				t.Errorf("%s: %s: %v", a, f.Name, err)
			}
		}
		z.Close()
	}
	if n < 100 {
		t.Errorf("%d models", n)
	}
}

// TestGraphDefs: a GraphDef is not mistaken for another format because of the contents of its
// strings.
func TestGraphDefs(t *testing.T) {
	graph := func(name, value string) []byte {
		var node []byte
		node = protowire.AppendString(protowire.AppendTag(node, 1, protowire.BytesType), name)
		node = protowire.AppendString(protowire.AppendTag(node, 2, protowire.BytesType), "Const")
		attr := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), value)
		node = protowire.AppendBytes(protowire.AppendTag(node, 5, protowire.BytesType), attr)
		return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), node)
	}
	// has the fields of a FunctionDef with a signature
	function := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), graph("f", "x"))
	for _, raw := range [][]byte{
		graph("TFL3_quant", "x"), graph("a", "\nimport tensorflow as tf\n"), graph("a", "\nmodule {\n"), graph("a", "<!DOCTYPE html>"), graph("a", strings.Repeat("ustar", 100)),
		graph(strings.Repeat("ustar", 60), ""), graph("a", "\x57\xfb\x80\x8b\x24\x75\x47\xdb."), append(graph("a", "x"), protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), function)...),
		protowire.AppendBytes(protowire.AppendTag(graph("a", "x"), 7, protowire.BytesType), graph("b", "y")),
	} {
		if f := Of(Bytes("graph.pb", raw)); f.Kind != GraphDef {
			t.Errorf("%q is %s", raw, f.Name)
		}
	}
}

// FuzzOf looks for panics.
func FuzzOf(f *testing.F) {
	dir := models(f)
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(p)
		f.Add(raw)
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		in := Bytes("m", raw)
		if f := Of(in); f == nil {
			t.Error("a file without a format")
		} else if f.Error(in).Error() == "" {
			t.Error("no text")
		}
	})
}

// TestDamaged: detection does not panic on damaged files: files with changed bytes, cut files, and
// files with sizes that are too large.
func TestDamaged(t *testing.T) {
	dir := models(t)
	r := rand.New(rand.NewPCG(1, 2))
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(p)
		if err != nil || len(raw) == 0 {
			return err
		}
		for range 50 {
			b := bytes.Clone(raw[:1+r.IntN(len(raw))])
			if r.IntN(2) == 0 {
				b = bytes.Clone(raw)
			}
			for range 1 + r.IntN(4) {
				at := r.IntN(len(b))
				for i := at; i < min(at+4, len(b)); i++ {
					b[i] = 0xff
				}
			}
			Of(Bytes(p, b))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
