// Package cost computes the operations and bytes of each call of a plan.
package cost
