package ops

import "github.com/graphc/graphc/ir"

// savedAs names the variable o, an object of this node, in checkpoints: as the
// model's checkpoint does, otherwise by the name that TensorFlow's Saver gives it.
func (b *Builder) savedAs(o ir.Out) {
	obj := b.l.bufs[o].Object
	_, obj.Checkpoint = variableName(o)
	if key := b.Node.Str(VariableCheckpoint); key != "" {
		obj.Checkpoint, obj.Slice = key, b.Node.Str(VariableSlice)
	}
}
