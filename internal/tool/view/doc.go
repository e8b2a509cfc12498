// Package view writes a page that shows a model's graph, what the passes did to it, and where a run spends its time:
// graphc view.
package view
