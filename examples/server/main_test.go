package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphc/graphc/examples/emotion/face"
	"github.com/graphc/graphc/examples/emotion/model"
	"github.com/graphc/graphc/rt"
)

// TensorFlow's scores, in the order of the labels: for the face of
// ../emotion/astronaut.png and for a picture that is grey all over.
var (
	wantAstronaut = []float32{1.5371455e-05, 2.7038656e-09, 4.0503292e-05, 9.9899238e-01, 2.8540462e-05, 1.3868774e-04, 7.8445609e-04}
	wantGrey      = []float32{0.086926371, 0.025756201, 0.14140451, 0.085487865, 0.17604068, 0.11657214, 0.36781222}
)

// limits are the settings of the server in most tests.
var limits = config{requests: 16, runs: 2, timeout: time.Minute, read: time.Minute}

func newTestPredictor(t *testing.T, c config) *predictor {
	t.Helper()
	m, err := model.New(rt.WithConcurrency(c.runs))
	if err != nil {
		t.Fatal(err)
	}
	return newPredictor(m, c)
}

func astronaut(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("../emotion/astronaut.png")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// grey returns a grey picture whose proportions differ from those of the model's input.
func grey(t *testing.T) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 80, 50))
	for i := range img.Pix {
		img.Pix[i] = 128
	}
	return encode(t, img)
}

func encode(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// check compares an answer with TensorFlow's.
func check(t *testing.T, got prediction, label string, want []float32) {
	t.Helper()
	if got.Label != label || len(got.Scores) != len(want) {
		t.Errorf("the label is %q of %d, want %q of %d", got.Label, len(got.Scores), label, len(want))
	}
	for i, w := range want {
		if g := got.Scores[face.Labels[i]]; math.Abs(float64(g-w)) > 1e-5+1e-4*float64(w) {
			t.Errorf("%s: %g, TensorFlow says %g", face.Labels[i], g, w)
		}
	}
}

// TestConcurrent sends different pictures at once; no request gets the answer to another one.
func TestConcurrent(t *testing.T) {
	server := httptest.NewServer(newTestPredictor(t, limits))
	defer server.Close()
	pictures := [][]byte{astronaut(t), grey(t)}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			resp, err := http.Post(server.URL, "image/png", bytes.NewReader(pictures[i%2]))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			var got prediction
			if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || resp.StatusCode != http.StatusOK {
				t.Errorf("status %d, %v", resp.StatusCode, err)
				return
			}
			if i%2 == 0 {
				check(t, got, "happy", wantAstronaut)
			} else {
				check(t, got, "neutral", wantGrey)
			}
		})
	}
	wg.Wait()
}

func TestRefusals(t *testing.T) {
	wide := image.NewPaletted(image.Rect(0, 0, 1, 1), color.Palette{color.Black})
	bomb := encode(t, wide)
	copy(bomb[16:24], []byte{0, 1, 0, 0, 0, 1, 0, 0}) // the header says 65536×65536
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	pic := astronaut(t)
	none, full := limits, limits
	none.timeout, full.requests = -1, 0
	for name, c := range map[string]struct {
		body   []byte
		limits config
		status int
		code   string
		says   string
	}{
		"no picture":  {[]byte("hello"), limits, http.StatusBadRequest, "InvalidArgument", "unknown format"},
		"cut off":     {pic[:len(pic)/2], limits, http.StatusBadRequest, "InvalidArgument", "pixel data"},
		"many pixels": {bomb, limits, http.StatusBadRequest, "InvalidArgument", "65536×65536"},
		"too large":   {make([]byte, maxBody+1), limits, http.StatusRequestEntityTooLarge, "Unknown", "too large"},
		"out of time": {pic, none, http.StatusServiceUnavailable, "DeadlineExceeded", "deadline"},
		"too many":    {pic, full, http.StatusServiceUnavailable, "Unavailable", "come again"},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/predict", bytes.NewReader(c.body))
		newTestPredictor(t, c.limits).ServeHTTP(w, r)
		var got failure
		err := json.Unmarshal(w.Body.Bytes(), &got)
		if err != nil || w.Code != c.status || got.Code != c.code || !strings.Contains(got.Error, c.says) {
			t.Errorf("%s: status %d, %+v, %v; want %d, %s", name, w.Code, got, err, c.status, c.code)
		}
	}
}

// TestClientGone cancels the context of a request, as when the client disconnects. The run must end
// with the context's error.
func TestClientGone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := newTestPredictor(t, limits).predict(ctx, astronaut(t))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// TestSteadyRun checks that a run of the model with borrowed buffers allocates nothing.
func TestSteadyRun(t *testing.T) {
	p := newTestPredictor(t, limits)
	img, err := face.Decode(t.Context(), bytes.NewReader(astronaut(t)))
	if err != nil {
		t.Fatal(err)
	}
	b := p.buffers.New().(*buffers)
	b.in.Picture.Data = face.Pixels(nil, img)
	ctx := context.Background()
	run := func() {
		if err := p.model.PredictInto(ctx, &b.in, &b.out); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(5, run); n != 0 {
		t.Errorf("%g allocations a run", n)
	}
}
