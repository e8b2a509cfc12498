// Package casebuild compiles recorded cases, and builds programs from the emitted packages.
package casebuild
