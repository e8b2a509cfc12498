// Package timing builds programs for recorded cases that measure their own run times, and requests
// these times from the programs.
package timing
