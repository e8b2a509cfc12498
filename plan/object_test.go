package plan

import "github.com/graphc/graphc/rt/tensor"

// NewTestObject makes an object.
func NewTestObject(name string) (tensor.Handle, error) { return tensor.Handle{V: name}, nil }

// NotTestObject does not make an object.
func NotTestObject() int { return 0 }

func NewTestFailing() error { return nil }
