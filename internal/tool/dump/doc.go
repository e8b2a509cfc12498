// Package dump shows the passes' effects on a model and its nodes: graphc dump and graphc explain.
package dump
