package main

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

func or(s, t string) string {
	if s == "" {
		return t
	}
	return s
}

// count writes a number with its unit: 3.5 M.
func count(n float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if n >= u.size {
			return strconv.FormatFloat(n/u.size, 'g', 3, 64) + u.name
		}
	}
	return strconv.FormatFloat(n, 'g', 4, 64)
}
