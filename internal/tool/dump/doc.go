// Package dump shows what passes make of a model, and what became of its nodes: graphc dump and graphc explain.
package dump
