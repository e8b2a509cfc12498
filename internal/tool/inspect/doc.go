// Package inspect says what a model holds: graphc inspect.
package inspect
