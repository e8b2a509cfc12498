// Package train is emitted by graphc when the tests of the folder above run: the package
// internal/emitted adds its other files by an overlay, and git has only this one.
package train
