// Package passes prepares a graph for lowering. It binds feeds and fetches, then runs the required
// passes, which leave plain dataflow, and the optional ones, which simplify it. The passes
// themselves are in the packages below.
package passes
