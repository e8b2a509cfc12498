// Package casebuild compiles recorded cases, and builds programs that contain the emitted packages.
package casebuild
