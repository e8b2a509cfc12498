// Package plain is emitted by graphc when the tests of the parent folder run: package
// internal/emitted adds the other files by an overlay. Only this file is in git.
package plain
