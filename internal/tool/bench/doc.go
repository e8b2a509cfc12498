// Package bench implements graphc bench. It times compiled cases as a whole, call by call, and in comparison
// with other runtimes.
package bench
