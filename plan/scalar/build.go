package scalar

import (
	"encoding/binary"

	"github.com/graphc/graphc/rt/tensor"
)

// Builder appends operations to a program. It appends equal operations only once.
type Builder struct {
	P    *Program
	Note string // the note that operations appended next will have
	seen map[string]Value
}

// NewBuilder returns a builder that appends to p.
func NewBuilder(p *Program) *Builder {
	b := &Builder{P: p, seen: map[string]Value{}}
	for i := range p.Ops {
		b.seen[p.Ops[i].key()] = Value(i)
	}
	return b
}

// key returns a text that is the same for equal operations.
func (o *Op) key() string {
	b := make([]byte, 0, 64)
	b = append(b, byte(o.Code), byte(o.DType))
	if o.Guarded {
		b = append(b, 'g')
	}
	b = binary.AppendVarint(b, int64(o.Number))
	b = binary.AppendUvarint(b, o.Bits[0])
	b = binary.AppendUvarint(b, o.Bits[1])
	for _, v := range o.Args {
		b = binary.AppendVarint(b, int64(v))
	}
	return string(append(append(b, '/'), o.Func...))
}

// The method Op appends an operation, unless the program has an equal operation already. It returns
// the number of the operation, as a Value.
func (b *Builder) Op(o Op) Value {
	k := o.key()
	if v, ok := b.seen[k]; ok {
		return v
	}
	if o.Note == "" {
		o.Note = b.Note
	}
	v := Value(len(b.P.Ops))
	b.P.Ops = append(b.P.Ops, o)
	b.seen[k] = v
	return v
}

// Type returns the type of a value.
func (b *Builder) Type(v Value) tensor.DType { return b.P.Ops[v].DType }

// Load appends an operation that reads an element of input i: the one that belongs to the current
// item.
func (b *Builder) Load(i int) Value {
	return b.Op(Op{Code: Load, DType: Plain(b.P.Ins[i].DType), Number: i})
}

// LoadIf reads like Load if ok is true; otherwise the value is 0.
func (b *Builder) LoadIf(i int, ok Value) Value {
	return b.Op(Op{Code: Load, DType: Plain(b.P.Ins[i].DType), Number: i, Guarded: true, Args: []Value{ok}})
}

// LoadAt appends an operation that reads any element of an Indexed input. The number of the element
// is the value given by the parameter at.
func (b *Builder) LoadAt(i int, at Value) Value {
	return b.Op(Op{Code: Load, DType: Plain(b.P.Ins[i].DType), Number: i, Args: []Value{at}})
}

// LoadAtIf reads like LoadAt if ok is true; otherwise the value is 0.
func (b *Builder) LoadAtIf(i int, at, ok Value) Value {
	return b.Op(Op{Code: Load, DType: Plain(b.P.Ins[i].DType), Number: i, Guarded: true, Args: []Value{at, ok}})
}

// Const returns a constant of type d with the value v.
func (b *Builder) Const(d tensor.DType, v float64) Value {
	return b.Op(Op{Code: Const, DType: Plain(d), Bits: ConstBits(d, v)})
}

// Int returns a constant of type Int64.
func (b *Builder) Int(v int64) Value {
	return b.Op(Op{Code: Const, DType: tensor.Int64, Bits: [2]uint64{uint64(v)}})
}

// Coord returns the item's coordinate along dimension k.
func (b *Builder) Coord(k int) Value {
	return b.Op(Op{Code: Coord, DType: tensor.Int64, Number: k})
}

// Item returns the item's number.
func (b *Builder) Item() Value { return b.Op(Op{Code: Item, DType: tensor.Int64}) }

// Arg appends an operation whose result is integer i of the integers that are passed to a run.
func (b *Builder) Arg(i int) Value { return b.Op(Op{Code: Arg, DType: tensor.Int64, Number: i}) }

// Un appends an operation on one operand. The result has the operand's type, except for PopCount,
// Real and Imag.
func (b *Builder) Un(c Code, x Value) Value {
	d := b.Type(x)
	switch c {
	case PopCount:
		d = tensor.Uint8
	case Real, Imag:
		d = PartType(d)
	}
	return b.Op(Op{Code: c, DType: d, Args: []Value{x}})
}

// Bin appends an operation on two operands.
func (b *Builder) Bin(c Code, x, y Value) Value {
	d := b.Type(x)
	switch {
	case c.Compares():
		d = tensor.Bool
	case c == Complex && d == tensor.Float32:
		d = tensor.Complex64
	case c == Complex:
		d = tensor.Complex128
	}
	return b.Op(Op{Code: c, DType: d, Args: []Value{x, y}})
}

// Select returns x if c is true, else y.
func (b *Builder) Select(c, x, y Value) Value {
	if x == y {
		return x
	}
	return b.Op(Op{Code: Select, DType: b.Type(x), Args: []Value{c, x, y}})
}

// Cast converts x to type d.
func (b *Builder) Cast(d tensor.DType, x Value) Value {
	if d = Plain(d); b.Type(x) == d {
		return x
	}
	return b.Op(Op{Code: Cast, DType: d, Args: []Value{x}})
}

// Bits reinterprets the bits of x as type d, which must have the same size.
func (b *Builder) Bits(d tensor.DType, x Value) Value {
	if d = Plain(d); b.Type(x) == d {
		return x
	}
	return b.Op(Op{Code: Bits, DType: d, Args: []Value{x}})
}

// The method Call appends a call of the floating-point function with the given name.
func (b *Builder) Call(name string, xs ...Value) Value {
	return b.Op(Op{Code: Call, DType: b.Type(xs[0]), Func: name, Args: xs})
}
