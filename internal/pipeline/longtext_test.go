package pipeline

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestLongTexts: long names, attributes and values do not make errors long.
func TestLongTexts(t *testing.T) {
	long := strings.Repeat("n", 1<<17)
	x := feed("x", "dim { size: 4 }")
	add := binary("AddV2", "y", "x", "x")
	attr := func(key, value string) string {
		return strings.Replace(add, "attr {", "attr { key: "+key+" value { "+value+" } } attr {", 1)
	}
	lists := strings.Repeat(`s: "`+long[:100]+`" `, 2000)
	var bad strings.Builder
	for i := range 2000 {
		bad.WriteString(binary("MatMul", fmt.Sprintf("m%d", i), "x", "x"))
	}
	for name, c := range map[string]struct {
		graph string
		o     Options
	}{
		"node":            {x + strings.ReplaceAll(binary("MatMul", "LONG", "x", "x"), "LONG", long), Options{}},
		"bad name":        {x + strings.ReplaceAll(add, `"y"`, `"/`+long+`"`), Options{}},
		"op":              {x + strings.Replace(add, "AddV2", long, 1), Options{}},
		"input":           {x + strings.Replace(add, `"x"`, `"`+long+`"`, 1), Options{}},
		"control":         {x + strings.Replace(add, `input: "x"`, `input: "x" input: "^`+long+`"`, 1), Options{}},
		"device":          {x + strings.Replace(add, `op:`, `device: "/device:`+long+`" op:`, 1), Options{}},
		"class":           {x + attr(`"_class"`, `list { s: "loc:@`+long+`" }`), Options{}},
		"type":            {x + strings.Replace(add, "DT_FLOAT", "DT_STRING", 1) + strings.ReplaceAll(add, `"y"`, `"`+long+`"`), Options{Fetches: []string{"y:0"}}},
		"attribute":       {x + strings.Replace(attr(`"`+long+`"`, `s: "a"`), "AddV2", "MatMul", 1), Options{}},
		"padding":         {x + `node { name: "y" op: "MaxPool" input: "x" attr { key: "padding" value { s: "` + long + `" } } }`, Options{}},
		"einsum":          {x + `node { name: "y" op: "Einsum" input: "x" attr { key: "N" value { i: 1 } } attr { key: "equation" value { s: "` + long + `" } } attr { key: "T" value { type: DT_FLOAT } } }`, Options{}},
		"list":            {x + `node { name: "y" op: "DeviceIndex" attr { key: "device_names" value { list { ` + lists + `} } } attr { key: "T" value { type: DT_FLOAT } } } ` + binary("MatMul", "z", "x", "x"), Options{}},
		"function":        {x + strings.ReplaceAll(`node { name: "y" op: "LONG" input: "x" } library { function { signature { name: "LONG" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } ret { key: "r" value: "none" } } }`, "LONG", "F"+long), Options{}},
		"many bad nodes":  {x + bad.String(), Options{}},
		"fetch":           {x + add, Options{Fetches: []string{long}}},
		"fetched output":  {x + add, Options{Fetches: []string{"y:" + strings.Repeat("9", 1<<17)}}},
		"feed":            {x + add, Options{Feeds: []string{long}, Fetches: []string{"y"}}},
		"target":          {x + add, Options{Targets: []string{long}}},
		"signature":       {x + add, Options{Signatures: []string{long}}},
		"shape":           {x + add, Options{Shapes: map[string]string{long: "1"}}},
		"shape's text":    {x + add, Options{Shapes: map[string]string{"x": long + "-"}}},
		"named signature": {x + add, Options{Calls: []Call{{Name: long, Fetches: []string{"none"}}}}},
		"devices":         {x + add, Options{Devices: []string{long}}},
		"pass":            {x + add, Options{Without: []string{long}}},
		"connection":      {x + add, Options{Connect: []string{long}}},
	} {
		_, err := Compile([]string{write(t, c.graph)}, c.o)
		if err == nil {
			t.Errorf("%s: it compiles", name)
			continue
		}
		if n := len(err.Error()); n > 20_000 {
			t.Errorf("%s: an error of %d bytes: %.200s", name, n, err)
		}
	}
}

// TestLongFeeds: long fed values do not make errors long, either.
func TestLongFeeds(t *testing.T) {
	long := strings.Repeat("(", 1<<17)
	str := func(name string) string {
		return fmt.Sprintf(`node { name: %q op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } attr { key: "shape" value { shape { } } } }`, name)
	}
	for name, graph := range map[string]string{
		"RegexFullMatch": `node { name: "y" op: "RegexFullMatch" input: "s" input: "s" }`,
		"RegexReplace":   `node { name: "y" op: "RegexReplace" input: "s" input: "s" input: "s" }`,
		"StringToNumber": `node { name: "y" op: "StringToNumber" input: "s" attr { key: "out_type" value { type: DT_FLOAT } } }`,
		"DecodeBase64":   `node { name: "y" op: "DecodeBase64" input: "s" }`,
		"ParseTensor":    `node { name: "y" op: "ParseTensor" input: "s" attr { key: "out_type" value { type: DT_FLOAT } } }`,
		"DecodeCSV":      `node { name: "d" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } } node { name: "y" op: "DecodeCSV" input: "s" input: "d" attr { key: "OUT_TYPE" value { list { type: DT_FLOAT } } } }`,
		"DecodeJSON":     `node { name: "y" op: "DecodeJSONExample" input: "s" }`,
		"Assert":         `node { name: "f" op: "Const" attr { key: "dtype" value { type: DT_BOOL } } attr { key: "value" value { tensor { dtype: DT_BOOL tensor_shape { } bool_val: false } } } } node { name: "a" op: "Assert" input: "f" input: "s" attr { key: "T" value { list { type: DT_STRING } } } attr { key: "summarize" value { i: 100 } } } node { name: "y" op: "Identity" input: "s" input: "^a" attr { key: "T" value { type: DT_STRING } } }`,
	} {
		p, err := Compile([]string{write(t, str("s")+graph)}, Options{Feeds: []string{"s:0"}, Fetches: []string{"y:0"}})
		if err != nil {
			t.Errorf("%s: %.300s", name, err)
			continue
		}
		r, err := p.Runner(p.Signatures[0])
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Run(context.Background(), map[string]*tensor.Tensor{"s:0": {DType: tensor.String, Shape: tensor.Shape{}, Data: []string{long}}})
		if err == nil {
			t.Errorf("%s: it runs", name)
		} else if n := len(err.Error()); n > 20_000 {
			t.Errorf("%s: an error of %d bytes", name, n)
		}
	}
}
