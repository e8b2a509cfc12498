package pipeline

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestRename: a compiled program has the caller's names, for signatures of the model and of the
// caller.
func TestRename(t *testing.T) {
	names := map[string]Names{"serving_default": {Name: "score", Method: "ScoreAll",
		Feeds:   map[string]PortNames{"age": {Key: "items"}, "serving_default_items:0": {Key: "age", Field: "Things"}}, // they swap names
		Fetches: map[string]PortNames{"rank": {Key: "place"}}}}
	for _, o := range []Options{
		{Names: names, Shapes: map[string]string{"serving_default_age": "n,4"}},
		{Names: names, Signatures: []string{"score"}, Shapes: map[string]string{"items": "n,4"}}, // the new key
		{Names: names, Signatures: []string{"serving_default"}, Devices: []string{"cpu:0", "cpu:1"}},
		{Names: names, Calls: []Call{{Name: "serving_default", Feeds: []string{"age=serving_default_age", "items=serving_default_items"}, Fetches: []string{"rank=StatefulPartitionedCall_1:0", "score=StatefulPartitionedCall_1:1"}}}},
	} {
		p, err := Compile([]string{kerasModel}, o)
		if err != nil {
			t.Error(err)
			continue
		}
		s := p.Signature("score")
		if s == nil || len(p.Signatures) != 1 || s.Declared != "serving_default" {
			t.Errorf("%v", sameText(p))
			continue
		}
		var got []string
		for _, f := range s.Plan.Feeds {
			got = append(got, f.Name+" "+f.Key+" "+f.Field)
		}
		for _, f := range s.Plan.Fetches {
			got = append(got, f.Name+" "+f.Key+" "+f.Field)
		}
		const want = "serving_default_age:0 items , serving_default_items:0 age Things, StatefulPartitionedCall_1:0 place , StatefulPartitionedCall_1:1 score "
		if text := strings.Join(got, ", "); text != want || s.Plan.Method != "ScoreAll" {
			t.Errorf("%s, method %s", text, s.Plan.Method)
		}
	}
	// Without a name, the signature serve would be left out, because serving_default is equal.
	p, err := Compile([]string{kerasModel}, Options{Names: map[string]Names{"serve": {Name: "other"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sameText(p), "other serving_default=other[0 1][0 1]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestRenameErrors: one error lists all problems.
func TestRenameErrors(t *testing.T) {
	ports := func(kv ...string) map[string]PortNames {
		m := map[string]PortNames{}
		for i := 0; i < len(kv); i += 3 {
			m[kv[i]] = PortNames{Key: kv[i+1], Field: kv[i+2]}
		}
		return m
	}
	for _, c := range []struct {
		names map[string]Names
		want  []string // paths and messages
	}{
		{map[string]Names{"serving_defaul": {Name: "x"}}, []string{`serving_defaul: unknown signature; the model has: "serve", "serving_default"; did you mean "serving_default"?`}},
		{map[string]Names{"serve": {Name: "serving_default"}}, []string{`serve/name: signature "serving_default" has the name "serving_default" already`}},
		{map[string]Names{"serve": {Name: "a"}, "serving_default": {Name: "a"}}, []string{`serving_default/name: signature "serve" has the name "a" already`}},
		{map[string]Names{"serve": {Method: "type"}}, []string{`serve/method: "type" is not an exported Go name: a capital letter, then letters, digits and underscores; did you mean "Type"?`}},
		{map[string]Names{"serve": {Feeds: ports("aeg", "x", "")}}, []string{`serve/feeds/aeg: not found in the signature, which has: "age", "items"; did you mean "age"?`}},
		{map[string]Names{"serve": {Fetches: ports("age", "x", "")}}, []string{`serve/fetches/age: not found in the signature, which has: "rank", "score"`}},
		{map[string]Names{"serve": {Feeds: ports("age", "items", "")}}, []string{`serve/feeds/age/key: "items" is already the name of "items"`}},
		{map[string]Names{"serve": {Feeds: ports("age", "serve_items:0", "")}}, []string{`serve/feeds/age/key: "serve_items:0" is already the name of "items"`}},
		{map[string]Names{"serve": {Feeds: ports("age", "x", "", "items", "x", "")}}, []string{`serve/feeds/items/key: "x" is already the name of "age"`}},
		{map[string]Names{"serve": {Feeds: ports("age", "", "X", "items", "", "X")}}, []string{`serve/feeds/items/field: X is already the field of "age"`}},
		{map[string]Names{"serve": {Feeds: ports("age", "x", "", "serve_age", "y", "")}}, []string{`serve/feeds/serve_age: "age" is the same tensor and has a name already`}},
		{map[string]Names{"serve": {Fetches: ports("rank", "_watch:A", "")}}, []string{`serve/fetches/rank/key: "_watch:A" begins with "_watch:", which is reserved`}},
		{map[string]Names{"serve": {Method: "a b", Feeds: ports("age", "", "x y"), Fetches: ports("z", "a", "")}},
			[]string{`serve/method: "a b" is not`, `serve/feeds/age/field: "x y" is not`, `serve/fetches/z: not found in the signature`}},
	} {
		_, err := Compile([]string{kerasModel}, Options{Names: c.names})
		var got []string
		var walk func(error)
		walk = func(err error) {
			switch e := err.(type) {
			case *NameError:
				got = append(got, strings.Join(e.Path, "/")+": "+tensor.Message(e.Err))
			case interface{ Unwrap() []error }:
				for _, inner := range e.Unwrap() {
					walk(inner)
				}
			}
		}
		walk(err)
		if len(got) != len(c.want) {
			t.Errorf("%+v: %v", c.names, err)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(got[i], want) {
				t.Errorf("%s\nwant %s", got[i], want)
			}
		}
	}
	_, err := Compile([]string{kerasModel}, Options{Signatures: []string{"serve"}, Names: map[string]Names{"serving_default": {Name: "x", Feeds: ports("age", "a", "")}}})
	if want := `names of signature "serving_default": the signature is not compiled; compiled are: "serve"`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = Compile([]string{kerasModel}, Options{Names: map[string]Names{"serve": {Feeds: ports("x", "a", "")}}})
	if want := `names of signature "serve": feed "x": not found in the signature, which has: "age", "items"`; err == nil || err.Error() != want || tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("%v, want %s", err, want)
	}
}
