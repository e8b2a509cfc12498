// Package flags has the flags that several commands share. It converts flags and graphc.yaml to the
// options of the root package graphc, and to those of package pipeline.
package flags
