package main

import "github.com/spf13/cobra"

// topics are help pages that do not belong to a command: `graphc help exit-codes`.
var topics = []struct{ name, short, text string }{
	{"exit-codes", "What graphc's exit status means", `0  done
1  failure: a model that cannot be read or compiled, a failed case, an I/O error
2  usage: flags, arguments, or graphc.yaml
3  the model needs ops that graphc does not compile; all are listed
4  stale: "graphc check" found generated files that differ from what would be generated
5  mismatch: "graphc diff" found numbers that differ
`},
	{"models", "Models that graphc reads, and how to name them", `A MODEL is one of

  graph.pb, graph.pbtxt    a GraphDef, binary or text; several are merged into one graph
  model.meta               a MetaGraphDef, as a Saver of TensorFlow 1 writes it; the
                           checkpoint of that name beside it has the initial values of
                           variables and tables
  DIR                      a SavedModel (saved_model.pb or saved_model.pbtxt with variables/)
  model.json, DIR          a TensorFlow.js graph model with its weight shards

A SavedModel has signatures. For a graph without signatures, --feed and --fetch name
tensors as node or node:k; key=node:k also sets the key. Without these flags, every
placeholder is fed and every unread tensor is fetched. --config reads feeds and
fetches from a tf2xla.Config.

You can define several signatures that share variables, tables and queues, each by
--call "NAME: FEED, … -> FETCH, …; TARGET, …". --init names nodes that a new instance
runs once, such as init or init_all_tables, after the model's own initialization.

--checkpoint PREFIX sets the initial values of variables and tables from a TensorFlow
checkpoint, format V1 or V2, for any kind of model.
`},
	{"shapes", "How to give shapes of feeds", `--shape NAME=1,224,?,3 sets the shape of the feed with that key or tensor name:

  224    a size
  ?      a size known at run time
  n      the same, shared by all feeds whose shape mentions n
  ""     no sizes: a scalar

A shape must not contradict the model, but may be more specific. Sizes given as
numbers make better code.
`},
	{"names", "How to rename signatures, feeds and fetches", `graphc.yaml can rename parts of a model:

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

All parts are optional. "graphc inspect" lists signatures, feeds and fetches; a feed or
fetch may also be named by its tensor. The signature of a graph without signatures is
"". The same on the command line:

  --rename "serving_default=score as ScoreAll: features=inputs -> output_0=scores as Probabilities"

Shapes give names to sizes: see "graphc help shapes".
`},
	{"runtime", "Where generated code gets its run time from", `--runtime import       generated code imports github.com/graphc/graphc/rt and
                       kernels; go.mod must require github.com/graphc/graphc
--runtime standalone   the required packages are copied below the package's internal/
--runtime auto         import if the enclosing go.mod requires the module (or is that
                       of the module), standalone otherwise; this is the default

Otherwise the result needs only Go's standard library.
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
