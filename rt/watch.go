package rt

import "github.com/graphc/graphc/rt/tensor"

// WatchFunc is told of a tensor that a node has made: see Watch.
type WatchFunc func(node string, t *tensor.Tensor) error
