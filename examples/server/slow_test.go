package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// start serves on a free port; done receives the result of serve.
func start(t *testing.T, serve func(l net.Listener) error) (addr string, done chan error) {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	done = make(chan error, 1)
	go func() { done <- serve(l) }()
	return l.Addr().String(), done
}

// client sends a request in parts.
type client struct {
	t    *testing.T
	conn net.Conn
}

// dial opens a connection and sends the head of a request for path. The body of the request, which
// is not sent yet, has n bytes.
func dial(t *testing.T, addr, path string, n int) *client {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	c := &client{t, conn}
	c.send([]byte(fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", path, n)))
	return c
}

func (c *client) send(b []byte) {
	c.t.Helper()
	if _, err := c.conn.Write(b); err != nil {
		c.t.Error(err)
	}
}

// status reads an answer.
func (c *client) status() int {
	c.t.Helper()
	c.conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	r, err := http.ReadResponse(bufio.NewReader(c.conn), nil)
	if err != nil {
		c.t.Errorf("no answer: %v", err)
		return 0
	}
	return r.StatusCode
}

// began waits until the server has asked for the body of the request, which means that it is
// answering the request.
func (c *client) began() {
	c.t.Helper()
	if s := c.status(); s != http.StatusContinue {
		c.t.Errorf("status %d, want %d", s, http.StatusContinue)
	}
}

// TestShutdown ends the server during requests. All these requests must get their answers before
// serve returns, and no more connections may be accepted.
func TestShutdown(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	addr, done := start(t, func(l net.Listener) error { return serve(ctx, l, limits) })
	pic := astronaut(t)
	checkEnd(t, addr, done, pic, cancel)
}

// checkEnd starts requests, and then calls the function end, which ends the server. It checks that
// all these requests are answered.
func checkEnd(t *testing.T, addr string, done chan error, pic []byte, end func()) {
	t.Helper()
	var under [8]*client
	for i := range under {
		under[i] = dial(t, addr, "/predict", len(pic))
		under[i].began()
		under[i].send(pic[:len(pic)/2])
	}
	end()
	for {
		late, err := net.Dial("tcp", addr)
		if err != nil {
			break // the server has stopped accepting connections
		}
		late.Close()
	}
	select {
	case err := <-done:
		t.Fatalf("it ends with unanswered requests: %v", err)
	default:
	}
	for _, c := range under {
		c.send(pic[len(pic)/2:])
	}
	for i, c := range under {
		if s := c.status(); s != http.StatusOK {
			t.Errorf("request %d: status %d", i, s)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestSlowClients: slow clients get a timeout error, and others do not wait
// for them.
func TestSlowClients(t *testing.T) {
	c := limits
	c.read = 300 * time.Millisecond
	addr, _ := start(t, func(l net.Listener) error { return serve(t.Context(), l, c) })
	pic := astronaut(t)
	var slow [4]*client // more clients than pictures that may be decoded at the same time
	for i := range slow {
		slow[i] = dial(t, addr, "/predict", len(pic))
		slow[i].began()
		go func() {
			for k := 0; ; k++ {
				if _, err := slow[i].conn.Write(pic[k : k+1]); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		}()
	}
	fast := dial(t, addr, "/predict", len(pic))
	fast.began()
	fast.send(pic)
	if s := fast.status(); s != http.StatusOK {
		t.Errorf("a client beside slow ones: status %d", s)
	}
	for _, c := range slow {
		if s := c.status(); s != http.StatusRequestTimeout {
			t.Errorf("a slow client: status %d", s)
		}
	}
	head, err := net.Dial("tcp", addr) // a client that never sends the head of a request
	if err != nil {
		t.Fatal(err)
	}
	defer head.Close()
	head.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.ReadAll(head); err != nil {
		t.Errorf("a client that sends nothing: %v", err)
	}
}

// TestWrongRequests: a body that is not a picture, or a wrong path, is refused at once.
func TestWrongRequests(t *testing.T) {
	addr, _ := start(t, func(l net.Listener) error { return serve(t.Context(), l, limits) })
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/predict", "", http.StatusMethodNotAllowed}, {"POST", "/", "", http.StatusNotFound}, {"POST", "/predict", "", http.StatusBadRequest}, {"POST", "/predict", "\x89PNG\r\n\x1a\n", http.StatusBadRequest},
		{"POST", "/predict", strings.Repeat("x", maxBody+1), http.StatusRequestEntityTooLarge},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, "http://"+addr+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Errorf("%s %s, %d bytes: %v", c.method, c.path, len(c.body), err)
			continue
		}
		resp.Body.Close()
		if resp.StatusCode != c.status {
			t.Errorf("%s %s, %d bytes: status %d, want %d", c.method, c.path, len(c.body), resp.StatusCode, c.status)
		}
	}
	gone := dial(t, addr, "/predict", 1000) // a client that stops sending before the end of the body
	gone.began()
	gone.conn.(*net.TCPConn).CloseWrite()
	if s := gone.status(); s != http.StatusBadRequest {
		t.Errorf("a body that is cut off: status %d", s)
	}
}

// TestTurns checks the limit on the number of pictures that are decoded or classified at the same
// time. A request that waits because of this limit ends when its time is over.
func TestTurns(t *testing.T) {
	c := limits
	c.timeout = 50 * time.Millisecond
	p := newTestPredictor(t, c)
	for range c.runs {
		p.turns <- struct{}{}
	}
	ctx, cancel := context.WithTimeout(t.Context(), c.timeout)
	defer cancel()
	if _, err := p.predict(ctx, astronaut(t)); err != context.DeadlineExceeded {
		t.Errorf("without a turn: %v", err)
	}
	<-p.turns
	if _, err := p.predict(t.Context(), astronaut(t)); err != nil {
		t.Errorf("with a turn: %v", err)
	}
	if len(p.turns) != c.runs-1 {
		t.Errorf("%d turns are taken", len(p.turns))
	}
}
