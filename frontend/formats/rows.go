package formats

import (
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// Sentences that several rows share.
const (
	layers    = "graphc compiles graphs of ops, and only Keras knows the ops of its layers"
	noGraph   = "it holds tensors, and no graph"
	notTF     = "its ops are not TensorFlow's"
	asSaved   = "convert it to a SavedModel and give graphc that folder"
	inProgram = "in the program that builds the model, load it and write a SavedModel"
	getFile   = "get the file itself"
)

// table lists all formats. The first row that recognises an input is its format, so a row with a
// narrow test must come before a row with a wide test. A format becomes an input of graphc when
// package frontend has a reader for its Kind.
var table = slices.Concat(folders, broken, kerasFiles, otherTools, archives, tensorFlow, texts, readable)

// folders are the formats of folders.
var folders = []Format{
	{Name: "a SavedModel", Kind: SavedModel, detect: func(in *Input) bool { return in.has("saved_model.pb") || in.has("saved_model.pbtxt") }},
	{Name: "a tfjs model's folder", Kind: TFJS, detect: func(in *Input) bool { return in.has("model.json") }},
	{Name: "a Core ML package", detect: func(in *Input) bool { return in.has("Manifest.json") && in.has("Data") },
		why: notTF, do: "Core ML models cannot be converted back; write a SavedModel from the model that it was made from", run: saveModel},
	{Name: "the variables folder of a SavedModel", detect: func(in *Input) bool { return in.dir && in.parent() != "" && in.prefix() != "" },
		why: noGraph, do: "give graphc the SavedModel's own folder", run: func(in *Input) string { return command("graphc inspect", " "+in.parent()) }},
	{Name: "a checkpoint folder", detect: func(in *Input) bool { return in.dir && in.prefix() != "" }, why: noGraph, do: checkpointDo, run: useCheckpoint},
	{Name: "a checkpoint's prefix", detect: func(in *Input) bool { return in.missing && in.exists(in.Path+".index") }, why: noGraph, do: checkpointDo, run: useCheckpoint},
	{Name: "a folder of models", detect: func(in *Input) bool { return in.inner() != "" }, code: tensor.InvalidArgument,
		why: "a model is one level below", do: "give graphc that one", run: func(in *Input) string { return command("graphc inspect", " "+in.inner()) }},
}

// broken are files that do not hold a model, because something went wrong when they were written or
// downloaded.
var broken = []Format{
	{Name: "an empty file", detect: func(in *Input) bool { return in.isFile() && in.size == 0 }, code: tensor.InvalidArgument,
		do: "download or write it again"},
	{Name: "a Git LFS pointer", detect: func(in *Input) bool { return in.starts("version https://git-lfs.github.com/spec/") }, code: tensor.InvalidArgument,
		why: "the repository's clone lacks the file's content", do: "fetch it", run: pullLFS},
	{Name: "a web page", detect: func(in *Input) bool { return begins(in.text(), "<!doctype html", "<html", "<?xml", "<Error>") }, code: tensor.InvalidArgument,
		why: "the download got a page of the server instead of the model", do: getFile + " by its direct address",
		run: func(in *Input) string { return command("curl -fL -o", " "+in.Path, "URL") }},
}

// kerasFiles are the files that Keras saves.
var kerasFiles = []Format{
	{Name: "a Keras archive (.keras)", detect: func(in *Input) bool {
		return in.isZip() && in.inArchive("config.json") != "" && in.inArchive("model.weights.h5") != ""
	}, why: layers, do: asSaved, run: exportKeras},
	{Name: "a Keras model in HDF5", detect: func(in *Input) bool { return in.isHDF5() && in.contains("model_config") }, why: layers, do: asSaved, run: exportKeras},
	{Name: "a weights file in HDF5", detect: (*Input).isHDF5, why: noGraph, do: inProgram, run: func(in *Input) string {
		return "model.load_weights(" + quoted(in.Path) + "); model.export(" + quoted(in.target()) + ")"
	}},
	{Name: "a tfjs layers model", detect: isLayersModel, why: layers, do: "convert it to a graph model", run: func(in *Input) string {
		return command("tensorflowjs_converter --input_format=tfjs_layers_model --output_format=tfjs_graph_model", " "+in.Path, " "+in.stem()+"_graph_model")
	}},
	{Name: "a Keras model's configuration", detect: func(in *Input) bool {
		k := in.jsonKeys()
		return k["class_name"] && k["config"]
	}, why: layers + "; it has no weights either", do: inProgram, run: func(in *Input) string {
		return python("import keras; model = keras.models.model_from_json(open(%s).read()); model.load_weights(\"WEIGHTS\"); model.export(%s)", in.Path, in.target())
	}},
}

// otherTools are models of other frameworks and of converters.
var otherTools = []Format{
	{Name: "a TensorFlow Lite model", detect: isTFLite,
		why: "its ops are TensorFlow Lite's", do: "give graphc the model that it was converted from, or convert it back by way of ONNX", run: func(in *Input) string {
			return command("python -m tf2onnx.convert --tflite", " "+in.Path, "--output", " "+in.stem()+".onnx") + "\n" +
				command("onnx2tf -i", " "+in.stem()+".onnx", "-o", " "+in.target())
		}},
	{Name: "an ONNX model", detect: isONNX, why: notTF, do: asSaved, run: func(in *Input) string { return command("onnx2tf -i", " "+in.Path, "-o", " "+in.target()) }},
	{Name: "a Core ML model", detect: isCoreML, why: notTF, do: "Core ML models cannot be converted back; write a SavedModel from the model that it was made from", run: saveModel},
	{Name: "a PyTorch model", detect: func(in *Input) bool { return in.isZip() && in.inArchive("data.pkl") != "" || in.starts(torchMagic) },
		why: notTF + ", or it holds only weights", do: "in the program that has the model's class, write an ONNX model, and convert that", run: exportTorch},
	{Name: "a Python pickle", detect: isPickle, why: "it holds Python objects", do: inProgram, run: saveModel},
	{Name: "a safetensors file", detect: isSafetensors, why: noGraph, do: inProgram, run: saveModel},
	{Name: "a GGUF file", detect: func(in *Input) bool { return in.starts("GGUF") }, why: noGraph, do: inProgram, run: saveModel},
	{Name: "an MLIR module", detect: func(in *Input) bool { return in.starts("ML\xefR") || mlirLine.MatchString(in.text()) }, why: notTF,
		do: "write a SavedModel from the function that it was made from; for JAX jax2tf.convert makes a TensorFlow function of it", run: saveModel},
	{Name: "a NumPy array", detect: func(in *Input) bool { return in.starts("\x93NUMPY") }, code: tensor.InvalidArgument, why: noGraph, do: "feed it to a model", run: feedArray},
	{Name: "an archive of NumPy arrays", detect: func(in *Input) bool { return in.isZip() && in.allNamed(".npy") }, code: tensor.InvalidArgument, why: noGraph, do: "feed them to a model", run: feedArray},
}

// archives are folders that were packed into one file.
var archives = []Format{
	{Name: "an archive of a SavedModel", detect: func(in *Input) bool { return in.inArchive("saved_model.pb") != "" }, code: tensor.InvalidArgument,
		why: "graphc reads folders", do: "unpack it and give graphc the folder", run: unpack},
	{Name: "an archive of a tfjs model", detect: func(in *Input) bool { return in.inArchive("model.json") != "" }, code: tensor.InvalidArgument,
		why: "graphc reads folders", do: "unpack it and give graphc the folder", run: unpack},
	{Name: "an archive", detect: func(in *Input) bool { return in.isZip() || in.isTar() }, code: tensor.InvalidArgument,
		why: "graphc does not read archives", do: "unpack it and give graphc the model in it", run: unpack},
	{Name: "a file compressed with gzip", detect: (*Input).isGzip, code: tensor.InvalidArgument,
		do: "decompress it and give graphc the file", run: func(in *Input) string { return "gunzip -c <" + shellPath(in.Path) + " >" + shellPath(in.stem()) }},
}

// tensorFlow are TensorFlow's own files that graphc does not read. Some of them hold no graph.
// Others hold a graph, but have a name that does not fit their format.
var tensorFlow = []Format{
	{Name: "a checkpoint file", detect: (*Input).isCheckpoint, why: noGraph, do: checkpointDo, run: useCheckpoint},
	{Name: "a SavedModel's file under another name", detect: func(in *Input) bool {
		return isSavedModel(in) && in.base != "saved_model.pb"
	}, code: tensor.InvalidArgument, why: "graphc finds its variables and assets by the folder", do: "put it into the folder of its variables and assets, or into a new folder", run: func(in *Input) string {
		return command("mkdir -p", " "+in.target()) + " && " + command("cp", " "+in.Path, " "+in.target()+"/saved_model.pb")
	}},
	{Name: "a MetaGraphDef", detect: func(in *Input) bool { return isMetaGraph(in) && !in.suffix(".meta") }, code: tensor.InvalidArgument,
		why: "graphc reads it under a name in .meta, by which it finds its checkpoint", do: "give it that name", run: func(in *Input) string {
			return command("cp", " "+in.Path, " "+in.stem()+".meta")
		}},
	{Name: "a MetaGraphDef in text form", detect: func(in *Input) bool {
		return metaField.MatchString(in.text()) && !in.suffix(".meta.txt") && !in.suffix(".meta")
	}, code: tensor.InvalidArgument,
		why: "graphc reads it under a name in .meta.txt, by which it finds its checkpoint", do: "give it that name", run: func(in *Input) string {
			return command("cp", " "+in.Path, " "+in.stem()+".meta.txt")
		}},
}

// texts are source files.
var texts = []Format{
	{Name: "a Jupyter notebook", detect: func(in *Input) bool { k := in.jsonKeys(); return k["cells"] && k["nbformat"] }, code: tensor.InvalidArgument,
		why: noSource, do: "make it write a SavedModel, and give graphc that folder", run: saveModel},
	{Name: "a Python program", detect: func(in *Input) bool { return pythonLine.MatchString(in.text()) }, code: tensor.InvalidArgument,
		why: noSource, do: "make it write a SavedModel, and give graphc that folder", run: saveModel},
}

const noSource = "graphc compiles graphs, not the programs that build them"

// readable are the files that graphc reads. The last row accepts every file, because a GraphDef has
// no magic number.
var readable = []Format{
	{Name: "a SavedModel's file", Kind: SavedModel, detect: func(in *Input) bool {
		return in.isFile() && (in.base == "saved_model.pb" || in.base == "saved_model.pbtxt")
	}},
	{Name: "a tfjs graph model", Kind: TFJS, detect: func(in *Input) bool {
		return in.isFile() && (in.suffix(".json") || in.jsonKeys()["modelTopology"])
	}},
	{Name: "a MetaGraphDef", Kind: MetaGraph, detect: func(in *Input) bool { return in.isFile() && (in.suffix(".meta") || in.suffix(".meta.txt")) }},
	{Name: "a GraphDef", Kind: GraphDef, detect: (*Input).isFile},
}

// These formats cannot be recognised by the content of one file. Package frontend detects them
// while it reads a model.
var (
	// HubModule is a module of TF Hub's first format.
	HubModule = &Format{Name: "a TF Hub module of the first format", detect: func(in *Input) bool { return in.has("tfhub_module.pb") },
		why: "its meta graphs are not tagged serve", do: "convert it to a SavedModel of TensorFlow 2 and give graphc that folder", run: func(in *Input) string {
			return python("import tensorflow as tf; m = tf.saved_model.load(%s, tags=[]); tf.saved_model.save(m, %s, signatures=dict(m.signatures))", in.Path, in.target())
		}}
	// NoSignatures is a SavedModel whose functions have no signature.
	NoSignatures = &Format{Name: "a SavedModel without signatures", code: tensor.InvalidArgument,
		why: "no function of it is named for callers outside Python", do: "save it again with one", run: func(in *Input) string {
			return python("import tensorflow as tf; m = tf.saved_model.load(%s); tf.saved_model.save(m, %s, signatures=m."+in.Function+".concrete_functions[0])", in.Path, in.target())
		}}
)

// Folder returns the Input for the folder dir if the folder has the format f, and nil otherwise.
func (f *Format) Folder(source Source, dir string) *Input {
	in, err := Open(source, dir)
	if err != nil || f.detect != nil && !f.detect(in) {
		return nil
	}
	return in
}
