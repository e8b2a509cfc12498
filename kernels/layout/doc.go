// Package layout converts between tensor formats that store channels at different positions.
package layout
