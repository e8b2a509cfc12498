package config

import (
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/ir"
)

// TestDoc checks docs/configuration.md: its example must parse, and its tables
// must list every key.
func TestDoc(t *testing.T) {
	data, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	_, rest, ok := strings.Cut(doc, "\n    version:")
	if !ok {
		t.Fatal("the example is not found")
	}
	example, _, _ := strings.Cut("    version:"+rest, "\n\n")
	c, err := Parse(FileName, []byte(strings.ReplaceAll(example+"\n", "\n    ", "\n")[len("    "):]))
	if err != nil || len(c.Models) != 2 {
		t.Errorf("the example: %+v, %v", c, err)
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[Config](), reflect.TypeFor[Model]()} {
		for i := range typ.NumField() {
			if k := fieldKey(typ.Field(i)); k != "-" && !strings.Contains(doc, "| `"+k+"` |") {
				t.Errorf("%s is not described", k)
			}
		}
	}
	limits, err := os.ReadFile("../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	typ := reflect.TypeFor[Limits]()
	if typ.NumField() != len(ir.LimitKinds) {
		t.Fatalf("%d keys for %d limits", typ.NumField(), len(ir.LimitKinds))
	}
	for i, k := range ir.LimitKinds {
		d := strconv.FormatInt(k.Default, 10)
		if k.Time {
			d = time.Duration(k.Default).String()
		}
		if key := fieldKey(typ.Field(i)); key != k.Key {
			t.Errorf("limit %d has the key %s here and %s there", i, key, k.Key)
		}
		if row := fmt.Sprintf("| `--%s` | `%s` | %s |", k.Flag, k.Key, d); !strings.Contains(string(limits), row) {
			t.Errorf("docs/limits.md has no row %s", row)
		}
	}
	for i := range reflect.TypeFor[Passes]().NumField() {
		if k := fieldKey(reflect.TypeFor[Passes]().Field(i)); !strings.Contains(doc, "`"+k+": ") {
			t.Errorf("passes.%s is not described", k)
		}
	}
}

// TestOpsDoc checks that docs/go-ops.md lists every key of an op.
func TestOpsDoc(t *testing.T) {
	data, err := os.ReadFile("../../docs/go-ops.md")
	if err != nil {
		t.Fatal(err)
	}
	for i := range reflect.TypeFor[Op]().NumField() {
		if k := fieldKey(reflect.TypeFor[Op]().Field(i)); !strings.Contains(string(data), "| `"+k+"` |") {
			t.Errorf("%s is not described", k)
		}
	}
}
