package formats

import "path/filepath"

const checkpointDo = "give graphc the graph, which takes its values from the checkpoint"

// useCheckpoint returns the command with which graphc reads the graph of a checkpoint.
func useCheckpoint(in *Input) string {
	p := in.prefix()
	switch {
	case p == "" || in.base == "checkpoint" && in.isFile():
		return command("graphc inspect GRAPH.pb --checkpoint", " "+filepath.Join(filepath.Dir(in.Path), "PREFIX"))
	case in.exists(p + ".meta"):
		return command("graphc inspect", " "+p+".meta")
	}
	return command("graphc inspect GRAPH.pb --checkpoint", " "+p)
}

// saveModel returns a line of Python, to be added to the user's program, that writes the model as a
// SavedModel.
func saveModel(in *Input) string { return "tf.saved_model.save(model, " + quoted(in.target()) + ")" }

// exportKeras returns the command that loads a Keras model and writes a SavedModel.
func exportKeras(in *Input) string {
	return python("import keras; keras.models.load_model(%s).export(%s)", in.Path, in.target())
}

// exportTorch returns a line of Python that writes a PyTorch model in ONNX format, followed by the
// shell command that converts this file to a SavedModel.
func exportTorch(in *Input) string {
	onnx := in.stem() + ".onnx"
	return "torch.onnx.export(model, (input,), " + quoted(onnx) + ")\n" + command("onnx2tf -i", " "+onnx, "-o", " "+in.target())
}

func pullLFS(in *Input) string {
	return command("git -C", " "+filepath.Dir(in.Path), "lfs pull --include", " "+in.base)
}

func feedArray(in *Input) string {
	if in.isZip() {
		return command("graphc run MODEL --feed", " "+in.Path)
	}
	return command("graphc run MODEL --feed", " NAME="+in.Path)
}

// unpack returns the command that unpacks an archive into a folder with the archive's name, without
// the extension.
func unpack(in *Input) string {
	dir := in.stem()
	if dir == in.Path {
		dir = in.target()
	}
	if in.isZip() {
		return command("unzip", " "+in.Path, "-d", " "+dir)
	}
	how := "tar xf"
	if in.isGzip() {
		how = "tar xzf"
	}
	return command("mkdir -p", " "+dir) + " && " + command(how, " "+in.Path, "-C", " "+dir)
}
