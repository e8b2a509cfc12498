// Package bench has the scripts of graphc's comparison with other
// runtimes: cases.py writes cases of growing size, run times them and models
// beside the peers, plot draws the results, and compare has the models and scripts
// of docs/comparison.md. It is a separate module, so that
// users' modules do not depend on the plotting library.
package bench
