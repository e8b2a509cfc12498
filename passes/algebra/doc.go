// Package algebra has rewrites that compute the same result with fewer or cheaper nodes. They fold
// constants, merge equal nodes, remove nodes that change nothing, such as x + 0, and simplify sums
// and products.
package algebra
