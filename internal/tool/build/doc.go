// Package build implements graphc build, generate, check and init. It writes packages, programs and executables
// of models, and graphc.yaml.
package build
