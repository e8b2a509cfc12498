// Package inspect describes models: graphc inspect.
package inspect
