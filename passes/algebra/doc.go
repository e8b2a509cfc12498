// Package algebra has rewrites that compute the same of fewer nodes: constants are folded, common nodes merged, neutral ones taken out, sums and products simplified.
package algebra
