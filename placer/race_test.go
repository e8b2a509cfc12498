//go:build race

package placer

func init() { underRace = true }
