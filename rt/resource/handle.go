package resource

import "github.com/graphc/graphc/rt/tensor"

// of returns the resource that the handle h[0] holds. The parameter what is the text for the expected
// kind of resource in errors. The error is NotFound for an empty handle and InvalidArgument for
// another kind of resource.
func of[T any](h []tensor.Handle, what string) (*T, error) {
	if len(h) == 0 || h[0].V == nil {
		return nil, tensor.Errorf(tensor.NotFound, "the handle refers to no resource, want %s", what)
	}
	r, ok := h[0].V.(*T)
	if !ok {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the handle refers to a %T, want %s", h[0].V, what)
	}
	return r, nil
}
