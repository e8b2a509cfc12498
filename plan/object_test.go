package plan

import "github.com/graphc/graphc/rt/tensor"

// NewTestObject is a valid constructor of an object.
func NewTestObject(name string) (tensor.Handle, error) { return tensor.Handle{V: name}, nil }

// NotTestObject is not a valid constructor, because it does not return a handle.
func NotTestObject() int { return 0 }

func NewTestFailing() error { return nil }
