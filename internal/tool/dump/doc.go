// Package dump implements graphc dump and graphc explain. They show the passes' effects on a model and its
// nodes.
package dump
