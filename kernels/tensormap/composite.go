package tensormap

import (
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// Optional is the value of Composite.Class that marks one of TensorFlow's optionals.
const Optional = -1

func makePart(dst []tensor.Handle, d tensor.DType, shape []int, data resource.Data) {
	p := resource.NewPart(d, shape, data)
	dst[0].V = &p
}

// PartRaw puts a tensor of the given shape in a handle.
func PartRaw(dst []tensor.Handle, src []byte, d tensor.DType, shape []int) {
	makePart(dst, d, shape, resource.Data{B: src})
}

// PartStr is PartRaw for strings.
func PartStr(dst []tensor.Handle, src []string, d tensor.DType, shape []int) {
	makePart(dst, d, shape, resource.Data{S: src})
}

// PartHnd is PartRaw for handles.
func PartHnd(dst, src []tensor.Handle, d tensor.DType, shape []int) {
	makePart(dst, d, shape, resource.Data{H: src})
}

// Compose makes a composite of the given class from parts.
func Compose(dst, parts []tensor.Handle, class int) {
	c := &resource.Composite{Class: class, Parts: make([]*resource.Part, len(parts))}
	for i, h := range parts {
		c.Parts[i] = h.V.(*resource.Part)
	}
	dst[0].V = c
}

// None makes an optional without a value.
func None(dst []tensor.Handle) { dst[0].V = &resource.Composite{Class: Optional, None: true} }

func composite(src []tensor.Handle, class int) (*resource.Composite, error) {
	if len(src) == 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Input `encoded` must not be an empty variant tensor")
	}
	c, ok := src[0].V.(*resource.Composite)
	switch {
	case !ok || (c.Class == Optional) != (class == Optional):
		return nil, tensor.Errorf(tensor.InvalidArgument, "The input is not a valid composite or optional tensor, got %T", src[0].V)
	case c.Class != class:
		return nil, tensor.Errorf(tensor.InvalidArgument, "a composite tensor of class %d is required, not of class %d", class, c.Class)
	}
	return c, nil
}

// HasValue stores whether an optional has a value.
func HasValue(dst []bool, src []tensor.Handle) error {
	c, err := composite(src, Optional)
	if err == nil {
		dst[0] = !c.None
	}
	return err
}

// Decompose sets parts[i].V to part i of a composite. It returns InvalidArgument if the composite is
// an optional without a value. It also returns InvalidArgument if the class of the composite or the
// types of its parts differ from the given ones.
func Decompose(parts, src []tensor.Handle, class int, types []int) error {
	c, err := composite(src, class)
	switch {
	case err != nil:
		return err
	case c.None:
		return tensor.Errorf(tensor.InvalidArgument, "The given optional does not have a value.")
	case len(c.Parts) != len(types):
		return tensor.Errorf(tensor.InvalidArgument, "Encoded value has %d tensor components; expected %d components", len(c.Parts), len(types))
	}
	for i, p := range c.Parts {
		if int(p.DType) != types[i] {
			return tensor.Errorf(tensor.InvalidArgument, "Tensor component %d had dtype %v; expected dtype %v", i, p.DType, tensor.DType(types[i]))
		}
		parts[i].V = p
	}
	return nil
}

// Fits returns InvalidArgument unless the tensor in src has the required shape. The required
// dimensions are ask[0], ask[1] and so on; -1 allows any size.
func Fits(src []tensor.Handle, ask []int) error {
	s := src[0].V.(*resource.Part).Shape
	ok := len(s) == len(ask)
	for k := 0; ok && k < len(s); k++ {
		ok = ask[k] < 0 || ask[k] == s[k]
	}
	if !ok {
		return tensor.Errorf(tensor.InvalidArgument, "a component of the shape %v is not compatible with %v", tensor.Shape(append([]int(nil), s...)), tensor.Shape(append([]int(nil), ask...)))
	}
	return nil
}
