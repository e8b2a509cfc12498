package ir

import (
	"bytes"
	"crypto/sha256"
	"testing"
)

// TestNewHash: hashing in pieces does not change the hash.
func TestNewHash(t *testing.T) {
	for _, n := range []int{0, 1, pieceBytes - 1, pieceBytes, pieceBytes + 1, 3*pieceBytes + 7} {
		b := bytes.Repeat([]byte("graph"), n/5+1)[:n]
		h := NewHash()
		if k, err := h.Write(b); k != n || err != nil {
			t.Errorf("%d bytes: wrote %d, %v", n, k, err)
		}
		if want := sha256.Sum256(b); !bytes.Equal(h.Sum(nil), want[:]) {
			t.Errorf("%d bytes: %x, not %x", n, h.Sum(nil), want)
		}
	}
}
