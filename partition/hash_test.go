package partition

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
)

func hashed(own string, others []string) string {
	h := sha256.New()
	h.Write([]byte(own))
	for _, o := range others {
		h.Write([]byte{0})
		h.Write([]byte(o))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

var anyCounter = regexp.MustCompile(`/_\d+|edge_\d+_|_cloop[^ \]]*`)

// blank removes the counters from a node's description.
func blank(s string) string { return anyCounter.ReplaceAllString(s, "") }
