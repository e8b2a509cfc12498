//go:build unix

package program

import (
	"strings"
	"syscall"
	"testing"
)

// TestIrregularFeeds: pipes and devices are refused as feeds, without waiting.
func TestIrregularFeeds(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"p.npy", "p.npz", "p.json", "p.csv"} {
		if err := syscall.Mkfifo(name, 0o666); err != nil {
			t.Skip(err)
		}
		for _, feed := range []string{"x=" + name, name} {
			if feed == "p.npy" || feed == "p.csv" {
				continue // only .npz and .json files may contain several feeds
			}
			if code, _, errs := run(t, "", "-feed", feed); code != exitFailure || !strings.Contains(errs, "is not a regular file") || strings.Count(errs, name) != 1 {
				t.Errorf("%s: exit %d, %s", feed, code, errs)
			}
		}
	}
	if code, _, errs := run(t, "", "-protocol", "."); code != exitFailure {
		t.Errorf("a folder without a case: exit %d, %s", code, errs)
	}
}
