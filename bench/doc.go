// Package bench has the scripts that compare graphc with other runtimes. The script
// cases.py writes cases of growing size. The script run measures these cases and the
// models, with graphc and with the other runtimes. The command plot draws the results.
// The folder compare has the models and the scripts of docs/comparison.md.
//
// This folder is a separate module, so that users' modules do not depend on the plotting
// library.
package bench
