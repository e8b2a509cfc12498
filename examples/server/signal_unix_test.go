//go:build unix

package main

import (
	"net"
	"syscall"
	"testing"
	"time"
)

// TestSIGTERM ends the server as service managers do.
func TestSIGTERM(t *testing.T) {
	addr, done := start(t, func(l net.Listener) error { return serveUntilSignal(l, limits) })
	first := dial(t, addr, "/predict", 1) // when the server answers this request, it already catches the signal
	first.began()
	first.send([]byte("x"))
	first.status()
	first.conn.Close()
	checkEnd(t, addr, done, astronaut(t), func() {
		if err := syscall.Kill(syscall.Getpid(), syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		time.Sleep(10 * time.Millisecond)
	})
}
