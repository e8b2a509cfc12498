package kit

import "github.com/graphc/graphc/lower"

// LowerNothing is the lowering of a node that does nothing.
func LowerNothing(*lower.Builder) error { return nil }

// ForwardShape copies the type, the shape and the known values of input 0 to output 0.
func ForwardShape(c *lower.Shaper) error {
	c.Node.Outs[0] = *c.In(0)
	return nil
}

// ForwardLower stores output 0 in the storage of input 0.
func ForwardLower(b *lower.Builder) error {
	b.Alias(0, 0)
	return nil
}
