package repl

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestStatements(t *testing.T) {
	for line, want := range map[string][]string{
		"":                              nil,
		"  # a comment":                 nil,
		"scores":                        {"scores"},
		"run init; scores ;;loss":       {"run init", "scores", "loss"},
		`x = ["a;b", "c # d"]; x # e`:   {`x = ["a;b", "c # d"]`, "x"},
		`x = "say \"a;b\""; y`:          {`x = "say \"a;b\""`, "y"},
		"name#1":                        {"name#1"}, // a comment begins only where a space, a tab or a semicolon precedes the #
		`x = {"b64": "AA;=="}; y`:       {`x = {"b64": "AA;=="}`, "y"},
		"x = ]; y":                      {"x = ]", "y"}, // a semicolon after a bracket that was not opened divides statements
		"x = @\"a b;c.npy\"; summary x": {`x = @"a b;c.npy"`, "summary x"},
	} {
		if got := statements(line); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]statement{
		"scores, loss":            {words: []string{"scores", "loss"}},
		"save x \"my file.npy\"":  {words: []string{"save", "x", "my file.npy"}},
		"x=[1]":                   {assigns: "x", value: value{literal: "[1]"}},
		"a/b:1 = -3e2":            {assigns: "a/b:1", value: value{literal: "-3e2"}},
		"x = true":                {assigns: "x", value: value{literal: "true"}},
		"x = scores":              {assigns: "x", value: value{name: "scores"}},
		"x = zeros:0":             {assigns: "x", value: value{name: "zeros:0"}},
		"x = zeros":               {assigns: "x", value: value{fill: "zeros"}},
		"x = ones[2, 3]":          {assigns: "x", value: value{fill: "ones", dims: []int{2, 3}}},
		"x = range[]":             {assigns: "x", value: value{fill: "range", dims: []int{}}},
		"x = random[2] -1..1":     {assigns: "x", value: value{fill: "random", dims: []int{2}, ranged: true, lo: -1, hi: 1}},
		"x = @a.npy":              {assigns: "x", value: value{file: "a.npy"}},
		"x = @\"a b.png\" 0..255": {assigns: "x", value: value{file: "a b.png", ranged: true, hi: 255}},
		"x = @a.png -.5...5":      {assigns: "x", value: value{file: "a.png", ranged: true, lo: -.5, hi: .5}},
	} {
		got, err := parse(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"x =":                             "the value is missing",
		"x = a b":                         "is not a value",
		"x = @":                           "want @FILE",
		"x = @a.png 1":                    "is not a range",
		"x = @a.png 1..0":                 "LO below HI",
		"x = zeros[2] 0..1":               "only random has a range",
		"x = zeros[99999999999999999999]": "is not a size",
		"save x \"a":                      "closing quote",
	} {
		if got, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, an error with %q is wanted", text, got, err, want)
		}
	}
}

// FuzzParse checks that no line causes a panic. In an assignment, exactly one of the fields file,
// literal, fill and name of the value must be set.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"x = [1]; y", `x = "a\`, "x = @a 0..1", "random[,] 1..2", "#", "save a \"b\"", "x = zeros[2", "a,b;c # d", "x=-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, text := range statements(line) {
			st, err := parse(text)
			if err != nil || st.assigns == "" {
				continue
			}
			forms := 0
			for _, s := range []string{st.value.file, st.value.literal, st.value.fill, st.value.name} {
				if s != "" {
					forms++
				}
			}
			if forms != 1 && st.value.name == "" && !strings.Contains(text, `""`) {
				t.Errorf("%q: %+v has %d forms", text, st.value, forms)
			}
		}
	})
}
