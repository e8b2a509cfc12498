package repl

import (
	"bufio"
	"context"
	"path/filepath"
	"strings"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/program"
	"github.com/graphc/graphc/rt/tensor"
)

// eval returns the tensor that the right side v of an assignment means, for the input p.
func (s *Session) eval(ctx context.Context, v value, p *rt.Port) (*tensor.Tensor, error) {
	switch {
	case v.literal != "":
		return program.ReadFeed(p, "", v.literal, s.limit)
	case v.fill != "":
		return s.filled(v, p)
	case v.file != "":
		return s.readFile(v, p)
	}
	t, err := s.one(ctx, v.name)
	if err != nil {
		return nil, err
	}
	if t.DType != p.DType {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%s is %v, want %v", v.name, t, p)
	}
	return t, nil
}

// readFile reads the file v.file as a value for the input p. If the file is a picture and the
// elements of the input are strings, the value is the contents of the file.
func (s *Session) readFile(v value, p *rt.Port) (*tensor.Tensor, error) {
	ext := strings.ToLower(filepath.Ext(v.file))
	switch {
	case isPicture(ext) && p.DType == tensor.String:
		b, err := files.ReadFile(v.file, int64(s.limit))
		if err != nil {
			return nil, files.Error(err)
		}
		return stringsOf(p, []string{string(b)})
	case isPicture(ext):
		t, note, err := readPicture(v, p, s.limit)
		if note != "" && err == nil {
			_, err = s.out.Write([]byte(note + "\n"))
		}
		return t, err
	case v.ranged:
		return nil, base.Usagef("@%s: only a picture has a range", v.file)
	case ext == ".txt":
		return s.readText(v.file, p)
	}
	return program.ReadFeed(p, "", v.file, s.limit)
}

// readText reads a text file as strings for the input p. The value has one string for each line or,
// if the input is a scalar, one string with the whole text.
func (s *Session) readText(name string, p *rt.Port) (*tensor.Tensor, error) {
	if p.DType != tensor.String {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%s is text, want %v", name, p)
	}
	b, err := files.ReadFile(name, int64(s.limit))
	if err != nil {
		return nil, files.Error(err)
	}
	if !p.AnyRank && len(p.Shape) == 0 {
		return stringsOf(p, []string{string(b)})
	}
	var lines []string
	sc := bufio.NewScanner(strings.NewReader(string(b)))
	sc.Buffer(nil, len(b)+1)
	for sc.Scan() {
		lines = append(lines, sc.Text())
	}
	return stringsOf(p, lines)
}

// stringsOf returns a tensor for the input p that has the strings in list as elements. Its shape is
// that of the input, with the length of the list as one size: the first unknown size or, if all
// sizes are known, the first size. Other unknown sizes are 1.
func stringsOf(p *rt.Port, list []string) (*tensor.Tensor, error) {
	shape := tensor.Shape{len(list)}
	if !p.AnyRank {
		shape = make(tensor.Shape, len(p.Shape))
		at := 0
		for i, d := range p.Shape {
			if shape[i] = max(d, 1); d < 0 && p.Shape[at] >= 0 {
				at = i
			}
		}
		if len(shape) > 0 {
			shape[at] = len(list)
		}
	}
	return tensor.From(shape, list)
}

// fits returns an error if the input does not accept the tensor.
func fits(p *rt.Port, t *tensor.Tensor) error {
	bad := t.DType != p.DType || !p.AnyRank && len(t.Shape) != len(p.Shape)
	for i := 0; !bad && !p.AnyRank && i < len(p.Shape); i++ {
		bad = p.Shape[i] >= 0 && t.Shape[i] != p.Shape[i]
	}
	if bad {
		return tensor.Errorf(tensor.InvalidArgument, "got %v, want %v", t, p)
	}
	return nil
}

// filled returns a tensor for the input p whose elements are zeros, ones, random numbers or 0, 1,
// 2, … If v.dims is nil, the tensor has the shape of the input, with 1 for each unknown size.
func (s *Session) filled(v value, p *rt.Port) (*tensor.Tensor, error) {
	shape := tensor.Shape(v.dims)
	if v.dims == nil {
		if p.AnyRank {
			return nil, base.Usagef("the rank of %s is unknown: give the sizes, as %s[2,3]", p.Name, v.fill)
		}
		for _, d := range p.Shape {
			if d < 0 {
				d = 1
			}
			shape = append(shape, d)
		}
	}
	t, err := tensor.New(p.DType, shape, s.limit)
	if err != nil {
		return nil, err
	}
	if !v.ranged {
		v.lo, v.hi = 0, 1
	}
	for i := range t.Len() {
		x := 0.0
		switch v.fill {
		case "ones":
			x = 1
		case "random":
			x = v.lo + (v.hi-v.lo)*s.random.Float64()
		case "normal":
			x = s.random.NormFloat64()
		case "range":
			x = float64(i)
		}
		if err := setNumber(t, i, x); err != nil {
			return nil, err
		}
	}
	return t, nil
}
