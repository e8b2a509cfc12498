// Package verify compares compiled cases with TensorFlow's recorded outputs: graphc verify.
package verify
