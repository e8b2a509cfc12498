package program

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// maxNesting bounds the depth of lists: TensorFlow's largest rank is 254.
const maxNesting = 254

// readJSON reads text that is one feed and nothing else.
func readJSON(p *rt.Port, r io.Reader, limit *budget) (*tensor.Tensor, error) {
	dec := newDecoder(r, limit)
	t, err := readLists(p, dec, limit)
	if err != nil {
		return nil, err
	}
	return t, atEnd(dec)
}

// newDecoder returns a JSON decoder. The limit bounds the length of a single value.
func newDecoder(r io.Reader, limit *budget) *json.Decoder {
	w := newWindow(r, limit)
	dec := json.NewDecoder(w)
	w.parsed = dec.InputOffset
	dec.UseNumber()
	return dec
}

// atEnd returns an error if more text follows a value.
func atEnd(dec *json.Decoder) error {
	switch tok, err := dec.Token(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return textError(err)
	default:
		return tensor.Errorf(tensor.InvalidArgument, "want one value, but %.20q follows it", tokenText(tok))
	}
}

// textError returns the error of a parser as InvalidArgument. A *tensor.Error from the reader
// stays unchanged.
func textError(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	var own *tensor.Error
	if errors.As(err, &own) {
		return own
	}
	return tensor.Errorf(tensor.InvalidArgument, "%v", err)
}

func tokenText(tok json.Token) string {
	switch tok := tok.(type) {
	case json.Delim:
		return tok.String()
	case json.Number:
		return tok.String()
	case bool:
		return strconv.FormatBool(tok)
	case string:
		return tok
	}
	return "null"
}

// lists stores the elements of nested lists in a tensor while it reads the lists. The depth of the
// first value is the depth of all values. At each depth, all lists must have the length of the first
// list.
type lists struct {
	dec   *json.Decoder
	out   *growing
	shape tensor.Shape // a dimension that is not known yet is -1
	rank  int          // -1 if it is not known yet
}

// readLists reads nested lists. Numbers may be given as strings ("NaN", "Infinity", "1+2i"). A
// string that is not valid UTF-8 is given as {"b64": "…"}, with its bytes in base64.
func readLists(p *rt.Port, dec *json.Decoder, limit *budget) (*tensor.Tensor, error) {
	out, err := newGrowing(p.DType, limit)
	if err != nil {
		return nil, err
	}
	l := &lists{dec: dec, out: out, rank: -1, shape: tensor.Shape{}}
	if err := l.value(0); err != nil {
		return nil, err
	}
	if n := len(l.shape); n > 0 && l.shape[n-1] == 0 {
		for a := n; a < len(p.Shape); a++ { // the text of an empty list does not show the dimensions inside it
			l.shape = append(l.shape, max(0, p.Shape[a]))
		}
	}
	return l.out.done(l.shape)
}

var errLengths = tensor.Errorf(tensor.InvalidArgument, "lists of different lengths")

// value reads a list or an element at the given depth.
func (l *lists) value(depth int) error {
	tok, err := l.dec.Token()
	if err != nil {
		return textError(err)
	}
	if tok == json.Delim('[') {
		return l.list(depth)
	}
	switch {
	case tok == nil:
		return tensor.Errorf(tensor.InvalidArgument, "null is not a value")
	case l.rank < 0:
		l.rank = depth
	case depth < l.rank:
		return errLengths
	}
	return l.element(tok)
}

// list reads a list, whose opening bracket has been read already.
func (l *lists) list(depth int) error {
	switch {
	case depth >= maxNesting:
		return tensor.Errorf(tensor.InvalidArgument, "lists nested deeper than %d", maxNesting)
	case l.rank >= 0 && depth >= l.rank:
		return errLengths
	case depth == len(l.shape):
		l.shape = append(l.shape, -1)
	}
	n := 0
	for ; l.dec.More(); n++ {
		if err := l.value(depth + 1); err != nil {
			return err
		}
	}
	if _, err := l.dec.Token(); err != nil { // the closing bracket
		return textError(err)
	}
	if n == 0 && l.rank < 0 {
		l.rank = depth + 1
	}
	if l.shape[depth] < 0 {
		l.shape[depth] = n
	}
	if l.shape[depth] != n {
		return errLengths
	}
	return nil
}

// element reads the rest of an element that begins with tok.
func (l *lists) element(tok json.Token) error {
	d := l.out.t.DType
	switch v := tok.(type) {
	case json.Delim:
		return l.bytes()
	case json.Number:
		if d == tensor.String || d == tensor.Bool {
			return tensor.Errorf(tensor.InvalidArgument, "%.40s is not a value of type %v", v, d)
		}
	case bool:
		if d != tensor.Bool {
			return tensor.Errorf(tensor.InvalidArgument, "%t is not a value of type %v", v, d)
		}
	}
	return l.out.add(tokenText(tok))
}

// bytes reads the rest of {"b64": "…"}.
func (l *lists) bytes() error {
	bad := tensor.Errorf(tensor.InvalidArgument, "an object is not a value of type %v", l.out.t.DType)
	if l.out.t.DType != tensor.String {
		return bad
	}
	var part [3]json.Token
	for i := range part {
		var err error
		if part[i], err = l.dec.Token(); err != nil {
			return textError(err)
		}
		if part[0] != "b64" {
			return bad
		}
	}
	text, ok := part[1].(string)
	if !ok || part[2] != json.Delim('}') {
		return bad
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return tensor.Errorf(tensor.InvalidArgument, "b64: %v", err)
	}
	return l.out.add(string(raw))
}
