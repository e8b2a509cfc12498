package parse

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

// TestBudget checks that the readers count their memory towards the run's limit, and that they stop
// when the run is cancelled.
func TestBudget(t *testing.T) {
	dst := make([]string, 1)
	text := `{"features":{"feature":{"a":{"floatList":{"value":[` + strings.Repeat("1,", 1<<15) + `]}}}}}`
	if err := Examples(nil, dst, []string{text}); err != nil || len(dst[0]) < 5<<15 {
		t.Fatalf("%d bytes, %v", len(dst[0]), err)
	}
	typed.Ends(t, "many numbers", []any{Examples}, dst, []string{text})
	typed.Exhausts(t, "many numbers", []any{Examples}, len(text), dst, []string{text})
	entry := "\x0a\x02\x0a\x00"
	typed.Ends(t, "many features", []any{Locate}, make([]int64, 2), []string{"\x0a\x80\x80\x08" + strings.Repeat(entry, 1<<15)}, []string{"a"})
	typed.Ends(t, "many lists", []any{LocateLists}, make([]int64, 2), []string{"\x12\x80\x80\x08" + strings.Repeat(entry, 1<<15)}, []string{"a"})
	field := `"` + strings.Repeat(`""`, 1000) + `"`
	typed.Exhausts(t, "a field with quotes", []any{CSVFields}, 900, dst, []string{field}, CSVParams{Columns: 1, Delim: ","})
}
