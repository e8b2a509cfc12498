// Package layout moves channels between the places that tensor formats give them.
package layout
