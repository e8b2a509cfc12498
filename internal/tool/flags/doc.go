// Package flags has the flags that several commands have in common. It converts flags and
// graphc.yaml to options of the root package graphc and of package pipeline.
package flags
