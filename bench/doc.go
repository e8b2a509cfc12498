// Package bench has the scripts that compare graphc with other runtimes. The script cases.py writes
// cases of one model at several sizes. The script run measures these cases, and the models in the
// folder compare, with graphc and with the other runtimes. The command plot draws the results. The
// folder compare also has the scripts of docs/comparison.md.
//
// This folder is a separate module, so that the modules of users do not depend on the plotting
// library.
package bench
