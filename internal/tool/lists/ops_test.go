package lists

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/graphc/graphc/internal/tool/base"
)

var update = flag.Bool("update", false, "rewrite docs/ops.md")

// TestOpsDoc checks that docs/ops.md is up to date.
func TestOpsDoc(t *testing.T) {
	const doc = "../../../docs/ops.md"
	var got bytes.Buffer
	rows, err := opRows(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := opsMarkdown((&base.App{Out: &got}), rows); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(doc, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(doc); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s is stale (%v): go test ./internal/tool/lists -run TestOpsDoc -update", doc, err)
	}
}
