// Package view implements graphc view. It writes a page that shows a model's graph, what the passes did to
// the graph, and where a run spends its time.
package view
