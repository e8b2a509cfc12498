// Package casebuild compiles recorded cases, and builds programs of what is emitted for them.
package casebuild
