package queue

import (
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// SessionKeep stores a tensor in the session s for later runs. src[0] holds the box of the tensor.
// SessionKeep stores in dst[0] the string that identifies the tensor.
func SessionKeep(dst []string, s, src []tensor.Handle, node string) error {
	r, err := resource.SessionOf(s)
	if err != nil {
		return err
	}
	b, ok := src[0].V.(*resource.Box)
	if !ok {
		return tensor.Errorf(tensor.Internal, "the value is a %T, not a tensor", src[0].V)
	}
	dst[0] = r.Keep(node, b)
	return nil
}

// SessionHold copies the handle of a tensor from src[0] to dst[0].
func SessionHold(dst, src []tensor.Handle) { dst[0] = src[0] }

// SessionGet stores in dst[0] the box of the kept tensor that the string handle[0] identifies.
func SessionGet(dst, s []tensor.Handle, handle []string) error {
	r, err := resource.SessionOf(s)
	if err != nil {
		return err
	}
	b, err := r.Get(handle[0])
	if err != nil {
		return err
	}
	dst[0] = tensor.Handle{V: b}
	return nil
}

// SessionDelete removes the kept tensor that the string handle[0] identifies.
func SessionDelete(s []tensor.Handle, handle []string) error {
	r, err := resource.SessionOf(s)
	if err != nil {
		return err
	}
	return r.Delete(handle[0])
}
