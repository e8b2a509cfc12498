// Package run implements graphc run, which runs a model in this process.
package run
