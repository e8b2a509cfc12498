package parse

import (
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// Params describes one wanted feature.
type Params struct {
	Examples int
	Features int // number of features that Locate looked for
	Feature  int // index among them
	Elems    int // for dense features: number of elements of an example, or of one step if examples consist of several steps
	Width    int // number of elements of dst for each example, if the number of steps varies
	Flat     bool
	// Strict selects how a dense feature that is present but has no typed list is handled: as an empty
	// feature if Strict is set, otherwise with the default.
	Strict bool
	Key    string
}

// DefaultFits returns InvalidArgument if a default's shape differs from that of the
// dense feature. A default without elements always fits.
func DefaultFits(have, want []int) error {
	for _, d := range have {
		if d == 0 {
			return nil
		}
	}
	if !slices.Equal(have, want) {
		return tensor.Errorf(tensor.InvalidArgument, "a default has the shape %v, the feature %v", have, want)
	}
	return nil
}

// NamesFit returns InvalidArgument unless the number of names is 0 or equals the number of
// examples.
func NamesFit(names, examples int) error {
	if names != 0 && names != examples {
		return tensor.Errorf(tensor.InvalidArgument, "%d names for %d examples: there must be none or as many", names, examples)
	}
	return nil
}

var names = [...]string{"unknown", "string", "float", "int64"}

// each(serialized, spans, p, f) calls f(e, list, has) for each example e. The second argument of f is
// the encoded list of the feature. The third argument is false if the example lacks the feature, or if
// the feature has no list. The error is InvalidArgument if the type of a list is not T's.
func each[T value](serialized []string, spans []int64, p *Params, f func(e int, list string, has bool) error) error {
	want := kindOf[T]()
	for e := range p.Examples {
		at := 2 * (e*p.Features + p.Feature)
		from, n := int(spans[at]), int(spans[at+1])
		if from < 0 {
			if err := f(e, "", false); err != nil {
				return err
			}
			continue
		}
		k, list, ok := kind(serialized[e][from : from+n])
		switch {
		case !ok:
			return bad(p.Key)
		case k != 0 && k != want:
			return tensor.Errorf(tensor.InvalidArgument, "Key: %s. Data types don't match. Data type: %s but expected type: %s", p.Key, names[k], names[want])
		}
		if err := f(e, list, k != 0); err != nil {
			return err
		}
	}
	return nil
}

func bad(key string) error {
	return tensor.Errorf(tensor.InvalidArgument, "Key: %s. Can't parse serialized Example.", key)
}

// count returns the number of elements of a list.
func count[T value](list string) (int, bool) {
	n := 0
	ok := values(list, func(T) { n++ })
	return n, ok
}

func dense[T value](dst []T, serialized []string, spans []int64, def []T, p *Params) error {
	if p.Strict && p.Examples == 0 && p.Elems != 0 {
		return tensor.Errorf(tensor.InvalidArgument, "Key: %s. There is no example", p.Key)
	}
	return each[T](serialized, spans, p, func(e int, list string, has bool) error {
		row := dst[e*p.Elems : (e+1)*p.Elems]
		if !has && p.Strict && p.Elems != 0 && spans[2*(e*p.Features+p.Feature)] >= 0 {
			return tensor.Errorf(tensor.InvalidArgument, "Key: %s. Unexpected number of elements: 0, the output shape has %d", p.Key, p.Elems)
		}
		if !has {
			if len(def) == 0 && p.Elems != 0 || len(def) < p.Elems {
				return tensor.Errorf(tensor.InvalidArgument, "Feature: %s (data type: %s) is required but could not be found.", p.Key, names[kindOf[T]()])
			}
			copy(row, def)
			return nil
		}
		n, ok := count[T](list)
		if !ok {
			return bad(p.Key)
		}
		if n != p.Elems {
			return tensor.Errorf(tensor.InvalidArgument, "Key: %s. Number of %s values != expected. Values size: %d but output shape has %d elements", p.Key, names[kindOf[T]()], n, p.Elems)
		}
		n = 0
		values(list, func(v T) { row[n] = v; n++ })
		return nil
	})
}

// longest returns the largest number of steps in an example. A step is Elems elements.
func longest[T value](serialized []string, spans []int64, p *Params) (int, error) {
	most := 0
	err := each[T](serialized, spans, p, func(e int, list string, has bool) error {
		if !has {
			return nil
		}
		n, ok := count[T](list)
		if !ok {
			return bad(p.Key)
		}
		if p.Elems == 0 || n%p.Elems != 0 {
			return tensor.Errorf(tensor.InvalidArgument, "Key: %s. Number of %s values is not a multiple of stride length. Saw %d values but output shape has %d elements a step", p.Key, names[kindOf[T]()], n, p.Elems)
		}
		most = max(most, n/p.Elems)
		return nil
	})
	return most, err
}

// padded writes the values of each example to a row of Width elements in dst. The remaining
// elements of the row are set to def[0], or to the type's zero if def is empty.
func padded[T value](dst []T, serialized []string, spans []int64, def []T, p *Params) error {
	var fill T
	if len(def) > 0 {
		fill = def[0]
	}
	return each[T](serialized, spans, p, func(e int, list string, has bool) error {
		row := dst[e*p.Width : (e+1)*p.Width]
		n := 0
		if has {
			values(list, func(v T) { row[n] = v; n++ })
		}
		for i := n; i < len(row); i++ {
			row[i] = fill
		}
		return nil
	})
}

// total returns the number of values of all examples.
func total[T value](serialized []string, spans []int64, p *Params) (int, error) {
	n := 0
	err := each[T](serialized, spans, p, func(e int, list string, has bool) error {
		if has {
			k, ok := count[T](list)
			if !ok {
				return bad(p.Key)
			}
			n += k
		}
		return nil
	})
	return n, err
}

// sparse writes the values of all examples as a sparse tensor of n values: the indices [n,2], or
// [n,1] if p.Flat is set, the values dst [n], and the shape.
func sparse[T value](indices []int64, dst []T, shape []int64, serialized []string, spans []int64, p *Params) error {
	at, widest := 0, 0
	err := each[T](serialized, spans, p, func(e int, list string, has bool) error {
		col := 0
		if has {
			values(list, func(v T) {
				if p.Flat {
					indices[at] = int64(col)
				} else {
					indices[2*at], indices[2*at+1] = int64(e), int64(col)
				}
				dst[at] = v
				at++
				col++
			})
		}
		widest = max(widest, col)
		return nil
	})
	if p.Flat {
		shape[0] = int64(widest)
	} else {
		shape[0], shape[1] = int64(p.Examples), int64(widest)
	}
	return err
}

// ragged writes the values and the row splits of all examples. With Flat it writes no splits.
func ragged[T value, I int32 | int64](dst []T, splits []I, serialized []string, spans []int64, p *Params) error {
	at := 0
	if len(splits) > 0 {
		splits[0] = 0
	}
	return each[T](serialized, spans, p, func(e int, list string, has bool) error {
		if has {
			values(list, func(v T) { dst[at] = v; at++ })
		}
		if !p.Flat {
			splits[e+1] = I(at)
		}
		return nil
	})
}
