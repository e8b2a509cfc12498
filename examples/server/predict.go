package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/graphc/graphc/examples/emotion/face"
	"github.com/graphc/graphc/examples/emotion/model"
	"github.com/graphc/graphc/rt/tensor"
)

// What a request may hold.
const (
	maxBody   = 8 << 20
	maxPixels = 4096 * 4096
)

// predictor answers requests whose body is a PNG or JPEG picture. The model
// takes calls from any number of goroutines; each request borrows an input and
// an output from the pool, so that a steady run of the model allocates nothing.
type predictor struct {
	model   *model.Model
	timeout time.Duration
	buffers sync.Pool // of *buffers
}

// buffers are what one run reads and writes.
type buffers struct {
	in  model.PredictInput
	out model.PredictOutput
}

func newPredictor(m *model.Model, timeout time.Duration) *predictor {
	p := &predictor{model: m, timeout: timeout}
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

// failure is the answer to a request that cannot be answered. Code is TensorFlow's.
type failure struct {
	Code  string `json:"code"`
	Error string `json:"error"`
}

func (p *predictor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// The request's context ends when the client goes away, and with it the run.
	ctx, cancel := context.WithTimeout(r.Context(), p.timeout)
	defer cancel()
	answer, err := p.predict(ctx, http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		code := tensor.CodeOf(err)
		reply(w, status(err, code), failure{code.String(), err.Error()})
		return
	}
	reply(w, http.StatusOK, answer)
}

func (p *predictor) predict(ctx context.Context, body io.Reader) (*prediction, error) {
	img, err := decode(body)
	if err != nil {
		return nil, err
	}
	b := p.buffers.Get().(*buffers)
	defer p.buffers.Put(b) // when the answer holds copies of all it needs
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

// decode reads a picture; its size is looked at before its pixels are.
func decode(body io.Reader) (image.Image, error) {
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err == nil && (c.Width <= 0 || c.Height <= 0 || c.Width > maxPixels/c.Height) {
		err = fmt.Errorf("the picture is %d×%d, at most %d pixels are taken", c.Width, c.Height, maxPixels)
	}
	if err != nil {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%v", err)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%v", err)
	}
	return img, nil
}

// status is the HTTP status for an error.
func status(err error, code tensor.Code) int {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge
	case code == tensor.InvalidArgument:
		return http.StatusBadRequest
	case code == tensor.Cancelled, code == tensor.DeadlineExceeded:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that is gone needs no answer
}
