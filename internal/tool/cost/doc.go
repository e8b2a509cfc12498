// Package cost tells the operations and bytes of each call of a plan.
package cost
