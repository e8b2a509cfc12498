// Package textops has kernels of ops: plain Go functions that graphc.yaml names.
// Each tensor is two parameters, its elements and its shape. Outputs come first, then
// inputs, then attributes.
package textops

import (
	"fmt"
	"math"
	"unicode"
	"unicode/utf8"
)

// words calls f with each word of a text, its start and its end.
func words(text string, f func(word string, start, end int)) {
	start := -1
	for i, r := range text {
		switch space := unicode.IsSpace(r); {
		case space && start >= 0:
			f(text[start:i], start, i)
			start = -1
		case !space && start < 0:
			start = i
		}
	}
	if start >= 0 {
		f(text[start:], start, len(text))
	}
}

// CountWords returns the lengths of three outputs of Split, so that memory can be
// allocated for them before Split is called.
func CountWords(texts []string, textsShape []int, config []string, configShape []int) (values, starts, ends int, err error) {
	n := 0
	for i, t := range texts {
		if !utf8.ValidString(t) {
			return 0, 0, 0, fmt.Errorf("text %d is not UTF-8", i)
		}
		words(t, func(string, int, int) { n++ })
	}
	return n, n, n, nil
}

// Split divides texts into words at white space. The words of texts[i] are
// values[splits[i]:splits[i+1]]. The positions of the word values[k] in its text are from starts[k]
// to ends[k]-1.
func Split(values []string, valuesShape []int, splits []int64, splitsShape []int, starts []int32, startsShape []int, ends []int32, endsShape []int,
	texts []string, textsShape []int, config []string, configShape []int) error {
	n := 0
	splits[0] = 0
	for i, t := range texts {
		words(t, func(word string, start, end int) {
			values[n], starts[n], ends[n] = word, int32(start), int32(end)
			n++
		})
		splits[i+1] = int64(n)
	}
	return nil
}

// Percent computes y = 1/(1+exp(-x)), rounded to hundredths, for each element.
func Percent[T float32 | float64](y []T, yShape []int, x []T, xShape []int) error {
	for i, v := range x {
		y[i] = T(math.Round(100/(1+math.Exp(-float64(v)))) / 100)
	}
	return nil
}
