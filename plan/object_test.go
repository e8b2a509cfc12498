package plan

import "github.com/graphc/graphc/rt/tensor"

// NewTestObject is a valid constructor of an object.
func NewTestObject(name string) (tensor.Handle, error) { return tensor.Handle{V: name}, nil }

// NotTestObject is no valid constructor, because it returns no handle.
func NotTestObject() int { return 0 }

func NewTestFailing() error { return nil }
