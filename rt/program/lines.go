package program

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/strictjson"
	"github.com/graphc/graphc/rt/tensor"
)

// An input line of --lines may have at most maxLine bytes. If the value of --max-bytes is small, the
// limit for a line is lower: about textBytes times this value.
const (
	maxLine   = 256 << 20
	textBytes = 8
)

// server answers the input lines of the flag --lines.
type server struct {
	c       *command
	p       rt.Program
	partial map[int]*partialRun
	last    int // the last handle
}

// question is a parsed line; see serve and server.step.
type question struct {
	Signature *string                    `json:"signature"`
	Feeds     map[string]json.RawMessage `json:"feeds"`
	Partial   *string                    `json:"partial"`
	Handle    *int                       `json:"handle"`
	Fetches   []string                   `json:"fetches"`
	Close     bool                       `json:"close"`
}

// serve reads lines of JSON from standard input,
//
//	{"signature": "train", "feeds": {"x": [[1, 2]]}}
//
// and answers each with a line, {"fetches": {"loss": 0.5}} or {"error": {"code":
// "InvalidArgument", "message": "…"}}. All runs use one instance. The default signature is the
// first.
func (c *command) serve(ctx context.Context, p rt.Program) error {
	for _, name := range []string{"run", "signature", "feed", "bench", "time"} {
		if c.given(name) {
			return usagef("--lines and --%s exclude each other: standard input says what to run", name)
		}
	}
	s := &server{c: c, p: p, partial: map[int]*partialRun{}}
	lines := bufio.NewScanner(c.in)
	most := maxLine
	if c.readLimit < maxLine/textBytes {
		most = textBytes*c.readLimit + parserBytes
	}
	lines.Buffer(make([]byte, 0, 64<<10), most)
	w := bufio.NewWriter(c.out)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		answer, err := s.answer(ctx, lines.Bytes())
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			answer, err = json.Marshal(map[string]any{"error": map[string]string{"code": tensor.CodeOf(err).String(), "message": err.Error()}})
			if err != nil {
				return err
			}
		}
		if _, err := w.Write(append(answer, '\n')); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return tensor.Errorf(tensor.InvalidArgument, "a line of standard input has more than %d bytes", most)
	}
	return lines.Err()
}

func (s *server) answer(ctx context.Context, line []byte) ([]byte, error) {
	var ask question
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&ask); err != nil {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "want one object per line")
	}
	if err := strictjson.Check(line); err != nil {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%v", err)
	}
	switch steps := ask.Handle != nil || ask.Partial != nil; {
	case steps && (ask.Signature != nil || ask.Handle != nil && ask.Partial != nil):
		return nil, tensor.Errorf(tensor.InvalidArgument, `"signature", "partial" and "handle" exclude each other`)
	case ask.Handle == nil && (ask.Fetches != nil || ask.Close), ask.Partial != nil && ask.Feeds != nil:
		return nil, tensor.Errorf(tensor.InvalidArgument, `"fetches" and "close" are for a "handle", and no feeds for "partial"`)
	case ask.Partial != nil:
		return s.setup(*ask.Partial)
	case ask.Handle != nil:
		return s.step(ctx, *ask.Handle, &ask)
	}
	all := s.p.Signatures()
	if len(all) == 0 {
		return nil, tensor.Errorf(tensor.NotFound, "the program has no signatures")
	}
	sig := all[0]
	if ask.Signature != nil {
		var err error
		if sig, err = signatureOf(s.p, *ask.Signature); err != nil {
			return nil, tensor.Errorf(tensor.NotFound, "%s", err.Error())
		}
	}
	feeds, err := s.readFeeds(sig, ask.Feeds)
	if err != nil {
		return nil, err
	}
	var got map[string]*tensor.Tensor
	if err := s.c.observe.run(ctx, func(ctx context.Context) (err error) {
		got, err = s.p.Run(ctx, sig.Name, feeds)
		return err
	}); err != nil {
		return nil, err
	}
	return fetchesLine(sig, got)
}

// readFeeds parses the feeds of a line.
func (s *server) readFeeds(sig *rt.Signature, texts map[string]json.RawMessage) (map[string]*tensor.Tensor, error) {
	feeds := map[string]*tensor.Tensor{}
	limit := newBudget(s.c.readLimit)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		q := port(sig, name)
		if q == nil {
			return nil, tensor.Errorf(tensor.InvalidArgument, "unknown feed %q; feeds: %s", name, feedNames(sig))
		}
		if feeds[q.Name] != nil {
			return nil, tensor.Errorf(tensor.InvalidArgument, "%q is fed twice", name)
		}
		t, err := readJSON(q, bytes.NewReader(texts[name]), limit)
		if err != nil {
			return nil, tensor.Errorf(tensor.CodeOf(err), "feed %q: %s", name, tensor.Message(err))
		}
		feeds[q.Name] = t
	}
	return feeds, nil
}

// fetchesLine formats the answer to a run.
func fetchesLine(sig *rt.Signature, got map[string]*tensor.Tensor) ([]byte, error) {
	var text, out bytes.Buffer
	if err := writeJSON(&text, sig, got); err != nil {
		return nil, err
	}
	out.WriteString(`{"fetches":`)
	if err := json.Compact(&out, text.Bytes()); err != nil {
		return nil, err
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
