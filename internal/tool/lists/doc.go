// Package lists prints graphc's ops, passes and devices.
package lists
