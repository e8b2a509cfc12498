// Package bench holds what draws and feeds graphc's comparison with other
// runtimes: cases.py writes cases of growing size, run times them and the models
// beside the peers, plot draws the results. It is a module of its own, so that
// the plotting library is in no user's go.mod.
package bench
