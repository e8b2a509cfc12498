package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/graphc/graphc/examples/emotion/face"
	"github.com/graphc/graphc/examples/emotion/model"
	"github.com/graphc/graphc/rt/tensor"
)

// maxBody bounds the bytes of a request's body; face.MaxPixels bounds the picture in it.
const maxBody = 8 << 20

// predictor answers requests whose body is a PNG or JPEG picture. Several goroutines may call the
// model at the same time. Each request borrows an input and an output from the pool, so that a
// steady run of the model allocates nothing.
type predictor struct {
	model    *model.Model
	limits   config
	requests chan struct{} // holds one element for each request that is being answered
	turns    chan struct{} // holds one element, a turn, for each picture that is being decoded or classified
	buffers  sync.Pool     // of *buffers
}

// buffers are the input and the output of one run.
type buffers struct {
	in  model.PredictInput
	out model.PredictOutput
}

func newPredictor(m *model.Model, c config) *predictor {
	p := &predictor{model: m, limits: c, requests: make(chan struct{}, c.requests), turns: make(chan struct{}, c.runs)}
	p.buffers.New = func() any {
		b := new(buffers)
		b.in.Picture.Shape = []int{1, face.Size, face.Size, 1}
		return b
	}
	return p
}

// prediction is the answer.
type prediction struct {
	Label  string             `json:"label"`
	Scores map[string]float32 `json:"scores"`
}

// failure is the answer to a request that fails. Code is TensorFlow's error code.
type failure struct {
	Code  string `json:"code"`
	Error string `json:"error"`
}

// errBusy is the answer to a request that exceeds the number of concurrent requests.
var errBusy = tensor.Errorf(tensor.Unavailable, "too many requests at once, come again")

func (p *predictor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := p.answer(w, r)
	if err != nil {
		code := tensor.CodeOf(err)
		if code == tensor.Unavailable {
			w.Header().Set("Retry-After", "1")
		}
		reply(w, status(err, code), failure{code.String(), err.Error()})
		return
	}
	reply(w, http.StatusOK, answer)
}

func (p *predictor) answer(w http.ResponseWriter, r *http.Request) (*prediction, error) {
	select {
	case p.requests <- struct{}{}:
		defer func() { <-p.requests }()
	default:
		return nil, errBusy
	}
	picture, err := p.read(w, r)
	if err != nil {
		return nil, err
	}
	// The request's context ends when the client disconnects. The end of the context also ends the
	// run.
	ctx, cancel := context.WithTimeout(r.Context(), p.limits.timeout)
	defer cancel()
	return p.predict(ctx, picture)
}

// read reads a request's body. A client has limited time to send the body. Meanwhile, the request
// does not count as a picture that is being decoded.
func (p *predictor) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(p.limits.read)) // fails in tests, which have no connection
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		// without this, the deadline would also end the request's context
		_ = c.SetReadDeadline(time.Time{})
	}
	return b, err
}

// predict waits until fewer pictures than the limit are being decoded or classified. Then it
// decodes the picture and classifies it. All of this ends when ctx is done.
func (p *predictor) predict(ctx context.Context, picture []byte) (*prediction, error) {
	select {
	case p.turns <- struct{}{}:
		defer func() { <-p.turns }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	img, err := face.Decode(ctx, bytes.NewReader(picture))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, tensor.Errorf(tensor.InvalidArgument, "%v", err)
	}
	b := p.buffers.Get().(*buffers)
	defer p.buffers.Put(b) // only at the end, because the answer is made from the values in b
	b.in.Picture.Data = face.Pixels(b.in.Picture.Data[:0], img)
	if err := p.model.PredictInto(ctx, &b.in, &b.out); err != nil {
		return nil, err
	}
	answer := &prediction{Scores: make(map[string]float32, len(face.Labels))}
	best := 0
	for i, v := range b.out.Scores.Data {
		answer.Scores[face.Labels[i]] = v
		if v > b.out.Scores.Data[best] {
			best = i
		}
	}
	answer.Label = face.Labels[best]
	return answer, nil
}

// status returns the HTTP status for an error.
func status(err error, code tensor.Code) int {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded): // of a body
		return http.StatusRequestTimeout
	case errors.Is(err, io.ErrUnexpectedEOF), code == tensor.InvalidArgument:
		return http.StatusBadRequest
	case code == tensor.Cancelled, code == tensor.DeadlineExceeded, code == tensor.Unavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that is gone needs no answer
}
