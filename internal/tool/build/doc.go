// Package build implements graphc build, generate, check and init. From models, it makes Go
// packages, Go programs and executables. It also writes graphc.yaml.
package build
