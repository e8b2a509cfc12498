package parse

import (
	"reflect"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestCSVFields compares the fields of records with TensorFlow 2.21's results.
func TestCSVFields(t *testing.T) {
	for _, c := range []struct {
		record string
		p      CSVParams
		want   []string // nil: InvalidArgument
	}{
		{"1,2", CSVParams{Columns: 2}, []string{"1", "2"}},
		{"1,", CSVParams{Columns: 2}, []string{"1", ""}},
		{"1,2,3", CSVParams{Columns: 2}, nil},
		{"", CSVParams{Columns: 1}, nil},
		{"\n", CSVParams{Columns: 1}, nil},
		{"\n1\n", CSVParams{Columns: 1}, nil},
		{"\n,", CSVParams{Columns: 2}, []string{"", ""}},
		{"a,\n", CSVParams{Columns: 2}, nil},
		{"a\r\n", CSVParams{Columns: 1}, nil},
		{`"a""b"`, CSVParams{Columns: 1}, []string{`a"b`}},
		{`"a,b",c`, CSVParams{Columns: 2}, []string{"a,b", "c"}},
		{"\"a\nb\",c", CSVParams{Columns: 2}, []string{"a\nb", "c"}},
		{`"a"b"`, CSVParams{Columns: 1}, nil},
		{`a"b`, CSVParams{Columns: 1}, nil},
		{`a"b`, CSVParams{Columns: 1, NoQuote: true}, []string{`a"b`}},
		{`"abc`, CSVParams{Columns: 1}, nil},
		{`"`, CSVParams{Columns: 1}, nil},
		{`""`, CSVParams{Columns: 1}, []string{""}},
		{"a b", CSVParams{Columns: 2, Delim: " "}, []string{"a", "b"}},
		{"a,b,c", CSVParams{Columns: 1, Select: []int{1}}, []string{"b"}},
		{`"a",b,"c"`, CSVParams{Columns: 2, Select: []int{0, 2}}, []string{"a", "c"}},
		{"a,b,c", CSVParams{Columns: 1, Select: []int{3}}, nil},
		{"a,b,c,", CSVParams{Columns: 1, Select: []int{3}}, []string{""}},
		{"a,b\n", CSVParams{Columns: 1, Select: []int{0}}, []string{"a"}}, // the part of a record after the last selected field is not checked
	} {
		if c.p.Delim == "" {
			c.p.Delim = ","
		}
		got := make([]string, c.p.Columns)
		err := CSVFields(nil, got, []string{c.record}, c.p)
		if c.want == nil {
			if tensor.CodeOf(err) != tensor.InvalidArgument {
				t.Errorf("%q: %q, %v, want an error", c.record, got, err)
			}
		} else if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %q, %v, want %q", c.record, got, err, c.want)
		}
	}
}

func TestCSVColumns(t *testing.T) {
	fields := []string{" 5 ", "0x10", "x", "", "+7", "nan", "NA", "1e400"}
	p := func(i int) CSVColumn { return CSVColumn{Column: i, Columns: 4, NA: "NA"} }
	var i32 [2]int32
	if err := CSVI32(i32[:], fields, nil, p(0)); err != nil || i32 != [2]int32{5, 7} {
		t.Errorf("%v %v", i32, err)
	}
	var i64 [2]int64
	if err := CSVI64(i64[:], fields, nil, p(0)); err != nil || i64 != [2]int64{5, 7} {
		t.Errorf("%v %v", i64, err)
	}
	var f32 [2]float32
	if err := CSVF32(f32[:], fields, nil, p(1)); err != nil || f32[0] != 16 || f32[1] == f32[1] {
		t.Errorf("%v %v", f32, err)
	}
	var f64 [2]float64
	if err := CSVF64(f64[:], fields, []float64{3}, p(3)); err != nil || f64[0] != 3 || f64[1] < 1e308 {
		t.Errorf("%v %v", f64, err)
	}
	var str [2]string
	if err := CSVString(str[:], fields, []string{"d"}, p(2)); err != nil || str != [2]string{"x", "d"} {
		t.Errorf("%v %v", str, err)
	}
	for _, err := range []error{
		CSVI32(i32[:], fields, nil, p(1)),                                    // not a decimal integer
		CSVI64(i64[:], fields, []int64{1}, p(2)),                             // no number
		CSVF32(f32[:], fields, nil, p(2)),                                    // no number
		CSVF64(f64[:], fields, nil, p(3)),                                    // missing
		CSVString(str[:], fields, nil, p(2)),                                 // missing
		CSVI32(i32[:], fields, []int32{1, 2}, p(0)),                          // two defaults
		CSVI32(i32[:1], []string{"99999999999"}, nil, CSVColumn{Columns: 1}), // out of range
	} {
		if tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%v", err)
		}
	}
}

func FuzzCSV(f *testing.F) {
	f.Add("a,\"b\"\"c\",", true)
	f.Fuzz(func(t *testing.T, s string, quotes bool) {
		for n := range 4 {
			p := CSVParams{Columns: n, Delim: ",", NoQuote: !quotes}
			_ = CSVFields(nil, make([]string, n), []string{s}, p)
			p.Select = []int{0, 2, 3}[:n]
			_ = CSVFields(nil, make([]string, n), []string{s}, p)
		}
	})
}
