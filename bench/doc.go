// Package bench has the scripts of graphc's comparison with other
// runtimes: cases.py writes cases of growing size, run times them and models
// beside the peers, plot draws the results. It is a separate module, so that
// users' modules do not depend on the plotting library.
package bench
