// Package run runs a model in this process: graphc run.
package run
