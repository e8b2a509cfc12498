// Package build writes the packages, programs and executables of models, and graphc.yaml: graphc build, generate,
// check and init.
package build
