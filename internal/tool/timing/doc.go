// Package timing builds programs of recorded cases with a clock in them, and asks them for times.
package timing
