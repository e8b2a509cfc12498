// Package bench has the scripts that compare graphc with other runtimes. The script cases.py writes
// cases of one model at several sizes, and tiny.py those of the networks of MLPerf Tiny. The script
// run measures these cases, and the models in the folder compare, with graphc and with the other
// runtimes. The command plot draws the results, and guard compares them with those of an earlier
// run. The folder compare also has the scripts of docs/comparison.md.
//
// This folder is a separate module, so that the modules of users do not depend on the plotting
// library.
package bench
