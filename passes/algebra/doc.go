// Package algebra has rewrites that compute the same result with fewer or cheaper nodes. They fold
// constants, merge equal nodes, remove neutral ones, and simplify sums and products.
package algebra
