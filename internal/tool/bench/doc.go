// Package bench times compiled cases, as a whole, call by call, and beside other runtimes: graphc bench.
package bench
