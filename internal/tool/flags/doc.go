// Package flags holds the flags that several commands share, and puts what they or graphc.yaml say of a model in
// the terms of the root package, and of the pipeline below it.
package flags
