// Server answers HTTP requests with a compiled model: a picture of a face comes
// in, the probability of each expression goes out as JSON. It shares the
// generated package of the example emotion.
//
//	server -listen localhost:8080 &
//	curl --data-binary @examples/emotion/astronaut.png localhost:8080/predict
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"time"

	"github.com/graphc/graphc/examples/emotion/model"
	"github.com/graphc/graphc/rt"
)

func main() {
	log.SetFlags(0)
	listen := flag.String("listen", "localhost:8080", "address to listen on")
	runs := flag.Int("runs", runtime.GOMAXPROCS(0), "runs of the model at once; further requests wait")
	timeout := flag.Duration("timeout", 5*time.Second, "time for one answer, waiting included")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, *listen, *runs, *timeout); err != nil {
		log.Fatal(err)
	}
}

// serve listens until ctx is done, then lets the requests under way finish.
func serve(ctx context.Context, listen string, runs int, timeout time.Duration) error {
	m, err := model.New(rt.WithConcurrency(runs))
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("POST /predict", newPredictor(m, timeout))
	s := &http.Server{Addr: listen, Handler: mux, ReadTimeout: timeout + 10*time.Second}
	go func() {
		<-ctx.Done()
		late, cancel := context.WithTimeout(context.Background(), 2*timeout)
		defer cancel()
		_ = s.Shutdown(late)
	}()
	log.Printf("listening on %s", listen)
	if err := s.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
