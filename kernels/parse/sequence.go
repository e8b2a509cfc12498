package parse

import (
	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// ListParams describes one wanted feature list of a tf.SequenceExample. The elements of a feature
// list are called steps. Each step is a Feature message, which holds a list of values.
type ListParams struct {
	Examples int
	Features int // number of lists that LocateLists looked for
	Feature  int // index among them
	Elems    int // for dense lists: number of values in each step
	Steps    int // for dense lists: number of steps of each example in dst
	Flat     bool
	Key      string
	Missing  bool // whether an example may lack the list
	// Lengths, of Examples elements, is for dense lists. It receives the number of steps in each
	// example. It may be nil.
	Lengths []int64
}

// LocateLists finds, in every sequence example, the feature lists whose names are the elements of
// keys. It writes their positions and lengths to spans as Locate does. It returns InvalidArgument for
// bytes that are not a SequenceExample.
func LocateLists(run *mem.Budget, spans []int64, serialized, keys []string) error {
	return locateIn(run, spans, serialized, keys, 2)
}

// steps calls f(step, list, has) for each step of the feature list in example e, with the encoded list
// of the step. The last argument is false for a step without a typed list. steps returns
// InvalidArgument if the type of a step's list is not T's.
func steps[T value](serialized []string, spans []int64, p *ListParams, e int, f func(step int, list string, has bool) error) error {
	at := 2 * (e*p.Features + p.Feature)
	from, n := int(spans[at]), int(spans[at+1])
	if from < 0 {
		return nil
	}
	want := kindOf[T]()
	step := 0
	var err error
	ok := fields(serialized[e][from:from+n], func(x wire.Field) bool {
		if x.Num() != 1 || x.Wire() != wire.Bytes {
			return true
		}
		k, list, ok := kind(x.Body)
		switch {
		case !ok:
			err = badList(p.Key)
		case k != 0 && k != want:
			err = tensor.Errorf(tensor.InvalidArgument, "Feature list: %s. Data types don't match. Data type: %s but expected type: %s", p.Key, names[k], names[want])
		default:
			err = f(step, list, k != 0)
			step++
		}
		return err == nil
	})
	if err == nil && !ok {
		err = badList(p.Key)
	}
	return err
}

func badList(key string) error {
	return tensor.Errorf(tensor.InvalidArgument, "Feature list: %s. Can't parse serialized SequenceExample.", key)
}

// lacks reports whether example e lacks the list.
func (p *ListParams) lacks(spans []int64, e int) bool {
	return spans[2*(e*p.Features+p.Feature)] < 0
}

func listTotals[T value](serialized []string, spans []int64, p *ListParams) (values, all int, err error) {
	for e := range p.Examples {
		err = steps[T](serialized, spans, p, e, func(_ int, list string, has bool) error {
			all++
			if has {
				n, ok := count[T](list)
				if !ok {
					return badList(p.Key)
				}
				values += n
			}
			return nil
		})
		if err != nil {
			return 0, 0, err
		}
	}
	return values, all, nil
}

func listSparse[T value](indices []int64, dst []T, shape []int64, serialized []string, spans []int64, p *ListParams) error {
	at, longest, widest := 0, 0, 0
	for e := range p.Examples {
		err := steps[T](serialized, spans, p, e, func(step int, list string, has bool) error {
			col := 0
			if has {
				values(list, func(v T) {
					if p.Flat {
						indices[2*at], indices[2*at+1] = int64(step), int64(col)
					} else {
						indices[3*at], indices[3*at+1], indices[3*at+2] = int64(e), int64(step), int64(col)
					}
					dst[at] = v
					at++
					col++
				})
			}
			longest, widest = max(longest, step+1), max(widest, col)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if p.Flat {
		shape[0], shape[1] = int64(longest), int64(widest)
	} else {
		shape[0], shape[1], shape[2] = int64(p.Examples), int64(longest), int64(widest)
	}
	return nil
}

func listLongest[T value](serialized []string, spans []int64, p *ListParams) (int, error) {
	most := 0
	for e := range p.Examples {
		if p.lacks(spans, e) && !p.Missing {
			return 0, tensor.Errorf(tensor.InvalidArgument, "Name: %s, Key: %s. Feature list is required but could not be found.", p.Key, p.Key)
		}
		err := steps[T](serialized, spans, p, e, func(step int, list string, has bool) error {
			n, ok := 0, true
			if has {
				n, ok = count[T](list)
			}
			switch {
			case !ok:
				return badList(p.Key)
			case n != p.Elems:
				return tensor.Errorf(tensor.InvalidArgument, "Feature list: %s, Index: %d. Number of %s values != expected. Values size: %d but output shape has %d elements", p.Key, step, names[kindOf[T]()], n, p.Elems)
			}
			most = max(most, step+1)
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return most, nil
}

func listDense[T value](dst []T, serialized []string, spans []int64, p *ListParams) error {
	row := p.Steps * p.Elems
	for e := range p.Examples {
		own := dst[e*row : (e+1)*row]
		at, n := 0, 0
		err := steps[T](serialized, spans, p, e, func(_ int, list string, has bool) error {
			n++
			if has {
				values(list, func(v T) { own[at] = v; at++ })
			}
			return nil
		})
		if err != nil {
			return err
		}
		clear(own[at:])
		if len(p.Lengths) > 0 {
			p.Lengths[e] = int64(n)
		}
	}
	return nil
}

func listRagged[T value, I int32 | int64](dst []T, outer, inner []I, serialized []string, spans []int64, p *ListParams) error {
	at, step := 0, 0
	inner[0], outer[0] = 0, 0
	for e := range p.Examples {
		err := steps[T](serialized, spans, p, e, func(_ int, list string, has bool) error {
			if has {
				values(list, func(v T) { dst[at] = v; at++ })
			}
			step++
			inner[step] = I(at)
			return nil
		})
		if err != nil {
			return err
		}
		if !p.Flat {
			outer[e+1] = I(step)
		}
	}
	return nil
}
