package resource

import "github.com/graphc/graphc/rt/tensor"

// of returns the resource that h holds, of which what names the kind: NotFound
// where there is no handle, InvalidArgument where it holds another thing.
func of[T any](h []tensor.Handle, what string) (*T, error) {
	if len(h) == 0 || h[0].V == nil {
		return nil, tensor.Errorf(tensor.NotFound, "the handle is of no resource, %s is required", what)
	}
	r, ok := h[0].V.(*T)
	if !ok {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the handle is of a %T, %s is required", h[0].V, what)
	}
	return r, nil
}
