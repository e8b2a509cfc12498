package formats

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"regexp"
	"strings"
)

// torchMagic is the beginning of the files that torch.save wrote before it wrote zip archives: a
// pickled number.
const torchMagic = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e"

func (in *Input) isHDF5() bool { return in.starts("\x89HDF\r\n\x1a\n") }

// contains reports whether the file's head contains the bytes of s.
func (in *Input) contains(s string) bool { return bytes.Contains(in.head, []byte(s)) }

// allNamed reports whether an archive has files, and the names of all of them end with suffix.
func (in *Input) allNamed(suffix string) bool {
	for _, name := range in.files() {
		if !strings.HasSuffix(name, suffix) {
			return false
		}
	}
	return len(in.files()) > 0
}

// isTFLite reports whether the file is a TensorFlow Lite model. Such a file begins with the offset
// of its root table, a small number, followed by the mark TFL3. A GraphDef whose first node is
// named TFL3 has the mark at the same place, but the bytes before it are a large number.
func isTFLite(in *Input) bool {
	return in.isFile() && len(in.head) >= 8 && binary.LittleEndian.Uint32(in.head) < 1<<16 && string(in.head[4:8]) == "TFL3"
}

// isPickle reports whether the file is a pickle of protocol 2 to 5. Protocol 4 and later begin with a frame.
func isPickle(in *Input) bool {
	if !in.isFile() || len(in.head) < 4 || in.head[0] != 0x80 || in.read(in.size-1, 1) == nil || in.read(in.size-1, 1)[0] != '.' {
		return false
	}
	switch protocol := in.head[1]; protocol {
	case 2, 3:
		return strings.IndexByte("}])(ccX", in.head[2]) >= 0
	case 4, 5:
		return in.head[2] == 0x95
	}
	return false
}

// isSafetensors reports whether the file is a safetensors file: the length of a JSON object,
// followed by the object, which describes tensors.
func isSafetensors(in *Input) bool {
	if !in.isFile() || len(in.head) < 10 || in.head[8] != '{' {
		return false
	}
	n := binary.LittleEndian.Uint64(in.head)
	return n <= uint64(in.size-8) && (in.contains(`"data_offsets"`) || in.contains(`"__metadata__"`))
}

// isLayersModel reports whether the file is model.json of a tfjs layers model: its format is
// layers-model, or its topology describes layers.
func isLayersModel(in *Input) bool {
	k := in.jsonKeys()
	return k["format=layers-model"] || k["modelTopology.model_config"] || k["modelTopology.class_name"]
}

var dataFile = regexp.MustCompile(`\.data-\d{5}-of-\d{5}$`)

// isCheckpoint reports whether the file belongs to a checkpoint. There are three such files: the
// index, which is a LevelDB table; a data file that has the index beside it; and the text file that
// names the latest checkpoint.
func (in *Input) isCheckpoint() bool {
	const tableMagic = "\x57\xfb\x80\x8b\x24\x75\x47\xdb"
	switch {
	case !in.isFile():
		return false
	case string(in.read(in.size-8, 8)) == tableMagic:
		return true
	case dataFile.MatchString(in.base):
		return in.exists(dataFile.ReplaceAllString(in.Path, ".index"))
	}
	return begins(in.text(), "model_checkpoint_path:")
}

// prefix returns the prefix of a checkpoint. If the input is an index file or a data file, the
// result is the prefix of the checkpoint that the file belongs to. If the input is a folder, the
// result is the prefix of the last checkpoint in the folder, in order of names, or "" for a folder
// without a checkpoint.
func (in *Input) prefix() string {
	switch {
	case in.missing:
		return in.Path
	case in.dir:
		for i := len(in.names) - 1; i >= 0; i-- {
			if stem, ok := strings.CutSuffix(in.names[i], ".index"); ok && in.hasData(stem) {
				return filepath.Join(in.Path, stem)
			}
		}
		return ""
	case dataFile.MatchString(in.base):
		return dataFile.ReplaceAllString(in.Path, "")
	}
	return strings.TrimSuffix(in.Path, ".index")
}

// hasData reports whether the folder has a data file of the checkpoint named stem.
func (in *Input) hasData(stem string) bool {
	for _, name := range in.names {
		if strings.HasPrefix(name, stem+".data-") && dataFile.MatchString(name) {
			return true
		}
	}
	return false
}

// parent returns the folder that contains the input if that folder is a SavedModel. For example,
// the input may be the folder with the variables of the SavedModel. Otherwise parent returns "".
func (in *Input) parent() string {
	dir := filepath.Dir(strings.TrimRight(in.Path, `/\`))
	if in.base == "." || in.base == ".." || !in.exists(filepath.Join(dir, "saved_model.pb")) {
		return ""
	}
	return dir
}

// inner returns a model directly below a folder. It returns the last subfolder, in order of names,
// that is a SavedModel or a tfjs model. If there is no such subfolder, it returns the last graph
// file, or "".
func (in *Input) inner() string {
	const most = 64 // largest number of entries that are checked
	file := ""
	for i := len(in.names) - 1; i >= max(0, len(in.names)-most); i-- {
		p := filepath.Join(in.Path, in.names[i])
		if in.exists(filepath.Join(p, "saved_model.pb")) || in.exists(filepath.Join(p, "saved_model.pbtxt")) || in.exists(filepath.Join(p, "model.json")) {
			return p
		}
		if ext := filepath.Ext(p); file == "" && (ext == ".pb" || ext == ".pbtxt" || ext == ".meta") {
			file = p
		}
	}
	return file
}
