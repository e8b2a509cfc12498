// Package flags has the flags that several commands share. It converts flags and graphc.yaml to the
// options of the root package, and to those of the pipeline below it.
package flags
