// Package verify implements graphc verify, which compares the results of compiled cases with outputs that were
// recorded with TensorFlow.
package verify
