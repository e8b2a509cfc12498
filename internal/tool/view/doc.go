// Package view implements graphc view. It writes an HTML page that shows a model's graph, the
// changes that the passes made to the graph, and the time that a run spends in each node.
package view
