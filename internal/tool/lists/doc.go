// Package lists prints what graphc has: ops, passes and devices.
package lists
