package flags

import (
	"reflect"
	"testing"
	"time"

	"github.com/graphc/graphc"
)

// TestEngine checks that Engine converts each option of the root package.
func TestEngine(t *testing.T) {
	fuel := 3
	o := &graphc.Options{Signatures: []string{"s"}, Feeds: []string{"f"}, Fetches: []string{"f"}, Targets: []string{"t"},
		Calls: []graphc.Call{{Name: "c"}}, Names: map[string]graphc.Names{"s": {Name: "t"}}, Init: []string{"i"}, Shapes: map[string]string{"x": "1"}, Connect: []string{"a=b"}, Partial: true,
		Weights: graphc.WeightsI8, ExactConv: true, Methods: map[string]graphc.Method{"*": graphc.MethodDirect}, NoOptimize: true,
		Without: []string{"fold"}, Fuel: &fuel, MaxFolded: 1, StripDebug: true, Profile: map[string]float64{"n": 1},
		Defaults: graphc.Defaults{Threads: 1, InterThreads: 2, OwnThreads: true, Pools: []graphc.Pool{{Threads: 3}}, Timeout: time.Second, MaxBytes: 4},
		Devices:  []string{"cpu:0"}, SoftPlacement: true, PlaceWhole: true, Spread: 1, AllowFiles: true, Limits: graphc.Limits{Nodes: 1},
		Watch: []string{"*"}, CheckNumerics: true, Progress: func(string, string) {}, LogPlacement: func(string) {}, ExplainPlacement: func(string) {}}
	p, err := Engine(o)
	if err != nil {
		t.Fatal(err)
	}
	from, to := reflect.ValueOf(*o), reflect.ValueOf(p)
	others := map[string]string{"NoOptimize": "NoOpt", "PlaceWhole": "NoPlacePruned"}
	for i := range from.NumField() {
		name := from.Type().Field(i).Name
		if from.Field(i).IsZero() {
			t.Errorf("Options.%s is not tested", name)
		}
		if name == "Progress" { // Engine ignores Progress: commands that use the pipeline set its option Dump themselves
			continue
		}
		if others[name] != "" {
			name = others[name]
		}
		if f := to.FieldByName(name); !f.IsValid() || f.IsZero() {
			t.Errorf("Options.%s does not reach the pipeline", name)
		}
	}
	d := reflect.ValueOf(p.Defaults)
	for i := range d.NumField() {
		if d.Field(i).IsZero() {
			t.Errorf("Defaults.%s does not reach the pipeline", d.Type().Field(i).Name)
		}
	}
}
