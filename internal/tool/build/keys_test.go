package build

import "testing"

// TestInKeys checks that inKeys replaces flags in messages by keys of graphc.yaml.
func TestInKeys(t *testing.T) {
	for flags, keys := range map[string]string{
		"the graph is too large; --max-nodes raises the limit":                            "the graph is too large; limits.nodes raises the limit",
		"give its shape, for example --shape x=1,?,3":                                     `give its shape, for example shapes: {x: "1,?,3"}`,
		"the other signatures compile: --signature a --signature b":                       "the other signatures compile: signatures: [a, b]",
		"give the program these devices with --devices cpu:0,cpu:1":                       "give the program these devices with devices: [cpu:0, cpu:1]",
		"that is compiled with --allow-files (allow_files: true in graphc.yaml) only":     "that is compiled with allow_files: true only",
		"the placeholder must be fed: name it with --feed x":                              "the placeholder must be fed: name it with feeds: [x]",
		"name what to compute by --fetch and --feed, or signatures of your own by --call": "name what to compute by fetches and feeds, or signatures of your own by calls",
		"signature \"s\" was not compiled to be run in steps: compile it with --partial":  "signature \"s\" was not compiled to be run in steps: compile it with partial: true",
		"node \"a\": a text without flags":                                                "node \"a\": a text without flags",
	} {
		if got := inKeys(flags); got != keys {
			t.Errorf("%s: %s, want %s", flags, got, keys)
		}
	}
}
