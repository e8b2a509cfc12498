// Package passes rewrites a graph as it was read into one that is lowered: it binds feeds and fetches, runs the required
// passes, which leave plain dataflow, and the optional ones, which leave less of it. The passes themselves are in the packages below.
package passes
