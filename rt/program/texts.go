package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/tensor"
)

// fileEndings are the endings of files with feeds.
var fileEndings = []string{".npy", ".npz", ".json", ".csv"}

// inPlace returns text as the value of a string feed: "loved it" in --feed 'text=loved it'. The
// result ok is false if the feed does not accept a single string, or if the text may be the name of
// a file.
func inPlace(p *rt.Port, text string, limit *budget) (t *tensor.Tensor, ok bool, err error) {
	if p.DType != tensor.String || slices.Contains(fileEndings, strings.ToLower(filepath.Ext(text))) {
		return nil, false, nil
	}
	shape := tensor.Shape{}
	switch {
	case mayHaveRank(p, 0):
	case mayHaveRank(p, 1) && (p.AnyRank || p.Shape[0] < 0 || p.Shape[0] == 1):
		shape = tensor.Shape{1}
	default:
		return nil, false, nil
	}
	if _, err := os.Stat(text); err == nil || errors.Is(err, fs.ErrPermission) {
		return nil, false, nil
	}
	if err := limit.take(stringBytes + len(text)); err != nil {
		return nil, false, err
	}
	return &tensor.Tensor{DType: tensor.String, Shape: shape, Data: []string{text}}, true, nil
}

// mayHaveRank reports whether a feed may have the rank.
func mayHaveRank(p *rt.Port, rank int) bool {
	if p.AnyRank {
		return p.Ranks == nil || slices.Contains(p.Ranks, rank)
	}
	return len(p.Shape) == rank
}

// inPlaceHint shows how to write a value as JSON. The parameter text is an example for string
// feeds.
func inPlaceHint(p *rt.Port, name, text string) string {
	example := "1"
	if p.DType == tensor.String {
		example = string(appendJSONString(nil, tensor.Clip(text)))
	}
	for range p.Shape {
		example = "[" + example + "]"
	}
	if name == "" { // the value does not come from a command line
		return "a value is written as JSON, such as " + example
	}
	return fmt.Sprintf("a value in the argument is JSON: --feed '%s=%s'", name, example)
}

// readInPlace reads JSON from the argument.
func readInPlace(p *rt.Port, name, text string, limit *budget) (*tensor.Tensor, error) {
	t, err := readJSON(p, strings.NewReader(text), limit)
	if tensor.CodeOf(err) == tensor.InvalidArgument && !json.Valid([]byte(text)) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%s; %s", tensor.Message(err), inPlaceHint(p, name, strings.Trim(text, `[]"`)))
	}
	return t, err
}

// notFile returns the error for a value that is neither a file name nor JSON, with a hint.
func notFile(p *rt.Port, name, text string) error {
	hint := inPlaceHint(p, name, text)
	if _, err := os.Stat(text); err != nil {
		return tensor.Errorf(tensor.CodeOf(files.Error(err)), "%s; %s", files.Without(text, err.Error()), hint)
	}
	return usagef("want a file name ending in .npy, .npz, .json or .csv; %s", hint)
}
