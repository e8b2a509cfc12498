// Package timing builds instrumented programs of recorded cases, and requests times from them.
package timing
