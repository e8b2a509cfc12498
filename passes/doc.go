// Package passes prepares a graph for lowering. It binds feeds and fetches and then runs passes.
// The required passes leave plain dataflow; the optional passes simplify it. The passes themselves
// are in the packages below this one.
package passes
