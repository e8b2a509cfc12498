// Server answers HTTP requests with a compiled model. A request contains a picture of
// a face. The answer contains the probability of each expression as JSON. The server
// uses the generated package of the example emotion.
//
//	server --listen localhost:8080 &
//	curl --data-binary @examples/emotion/astronaut.png localhost:8080/predict
//
// The server's memory is bounded. Each current request holds its body, at most 8 MiB.
// Each run of the model holds a decoded picture, at most 400 MB for 4096×4096 pixels.
// With garbage that is not collected yet, the maximum is about
// 2×(requests×8 MiB + runs×400 MB). Further requests are answered with status 503.
//
// Ctrl-C or SIGTERM ends the server: it accepts no more connections and finishes the
// current requests. A second signal ends it at once.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/graphc/graphc/examples/emotion/model"
	"github.com/graphc/graphc/rt"
)

// config has the values of the flags.
type config struct {
	// largest number of concurrent requests; a request counts from the first byte of its body
	requests int
	runs     int           // largest number of pictures that are decoded or classified at the same time
	timeout  time.Duration // largest time for an answer, from the end of the body of the request
	read     time.Duration // largest time for a client to send its request
}

func main() {
	log.SetFlags(0)
	listen := flag.String("listen", "localhost:8080", "address to listen on")
	var c config
	flag.IntVar(&c.requests, "requests", 64, "concurrent requests; others are refused")
	flag.IntVar(&c.runs, "runs", runtime.GOMAXPROCS(0), "pictures decoded and classified at the same time; other requests wait")
	flag.DurationVar(&c.timeout, "timeout", 5*time.Second, "time for one answer, including waiting")
	flag.DurationVar(&c.read, "read", 10*time.Second, "time for a client to send its request")
	flag.Parse()
	l, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("listening on %s", l.Addr())
	if err := serveUntilSignal(l, c); err != nil {
		log.Fatal(err)
	}
}

func serveUntilSignal(l net.Listener, c config) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal then has its default effect
	return serve(ctx, l, c)
}

// serve answers requests until ctx is done, and returns when the current ones have been
// answered.
func serve(ctx context.Context, l net.Listener, c config) error {
	m, err := model.New(rt.WithConcurrency(c.runs))
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("POST /predict", newPredictor(m, c))
	s := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: c.read,
		ReadTimeout:       c.read,                              // ends connections of clients that send a byte now and then
		WriteTimeout:      c.read + c.timeout + 10*time.Second, // ends connections of clients that do not read the answer
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	select {
	case err := <-failed: // Serve failed before ctx was done
		return err
	case <-ctx.Done():
	}
	// A call of Shutdown ends Serve at once, but Shutdown returns only when all requests are
	// answered. Therefore wait for Shutdown.
	late, cancel := context.WithTimeout(context.Background(), s.WriteTimeout)
	defer cancel()
	return errors.Join(s.Shutdown(late), m.Close())
}
