// Package bench implements graphc bench. It measures the run times of compiled cases and of the
// calls in them, and compares graphc with other runtimes.
package bench
