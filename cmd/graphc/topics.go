package main

import "github.com/spf13/cobra"

// topics are help pages without a command: `graphc help exit-codes`.
var topics = []struct{ name, short, text string }{
	{"exit-codes", "What graphc's exit status means", `0  done
1  failure: a model that cannot be read or compiled, a failed case, an I/O error
2  usage: flags, arguments, or graphc.yaml
3  the model needs ops that graphc does not compile; all are listed
4  stale: "graphc check" found generated files that differ from what would be generated
5  mismatch: "graphc diff" found numbers that differ
`},
	{"models", "Which models are read, and how they are named", `A MODEL is one of

  graph.pb, graph.pbtxt    a GraphDef, binary or text; several are merged into one graph
  model.meta               a MetaGraphDef, as a Saver of TensorFlow 1 writes it; variables
                           and tables begin with the checkpoint of that name beside it
  DIR                      a SavedModel (saved_model.pb or saved_model.pbtxt with variables/)
  model.json, DIR          a TensorFlow.js graph model with its weight shards

A SavedModel brings its signatures. For a bare graph, --feed and --fetch name
tensors as node or node:k; key=node:k gives one a key of its own. Without them
every placeholder is fed and every tensor nobody reads is fetched. --config
reads feeds and fetches from a tf2xla.Config.

Several signatures of your own share variables, tables and queues: each --call
is "NAME: FEED, … -> FETCH, …; TARGET, …". --init names nodes that a new instance
runs once, such as init or init_all_tables, after what the model itself names.

--checkpoint PREFIX has variables and tables begin with the values of a checkpoint
of TensorFlow, format V1 or V2, whatever the model is.
`},
	{"shapes", "How shapes of feeds are given", `--shape NAME=1,224,?,3 gives the feed with that key or tensor name a shape:

  224    a size
  ?      a size known at run time
  n      the same, shared by all feeds whose shape mentions n
  ""     no sizes: a scalar

A shape may narrow what the model says, never contradict it. Sizes given as
numbers make better code.
`},
	{"names", "How signatures, feeds and fetches get names of your own", `graphc.yaml renames what a model calls otherwise:

  models:
    - path: scorer
      names:
        serving_default:
          name: score           # the signature, and with it the Go method: Score
          method: ScoreAll      # the Go method alone
          feeds:
            features: inputs    # the key, and with it the Go field: Inputs
          fetches:
            output_0: {key: scores, field: Probabilities}

Each part may be missing. Signatures, feeds and fetches are those that "graphc inspect"
lists; a feed or fetch may be named by its tensor, too. A bare graph's signature is "".
On the command line the same is

  --rename "serving_default=score as ScoreAll: features=inputs -> output_0=scores as Probabilities"

Sizes get names by shapes: see "graphc help shapes".
`},
	{"runtime", "Where generated code finds its run time", `--runtime import       generated code imports github.com/graphc/graphc/rt and
                       kernels; go.mod must require github.com/graphc/graphc
--runtime standalone   what is needed is copied below the package's internal/
--runtime auto         import where the enclosing go.mod requires the module (or
                       is it), standalone otherwise; this is the default

Besides that the result needs nothing but Go's standard library.
`},
	{"config", "The keys of graphc.yaml", `graphc.yaml lists the packages that "graphc generate" builds and "graphc check"
compares. "graphc init" writes one with comments, "graphc init --schema" prints
its JSON schema. Unknown keys are errors. Paths are relative to the file.
`},
}

func addTopics(root *cobra.Command) {
	for _, t := range topics {
		root.AddCommand(&cobra.Command{Use: t.name, Short: t.short, Long: t.text})
	}
}
