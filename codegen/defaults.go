package codegen

import (
	"time"

	"github.com/dave/jennifer/jen"
)

// Defaults are options that New applies before those of its caller.
type Defaults struct {
	IntraOp, InterOp int           // see rt.WithIntraOp and rt.WithInterOp; 0: none
	Timeout          time.Duration // see rt.WithTimeout; 0: none
	Pool             *Pool         // nil: none
	MaxBytes         int           // see rt.WithMaxBytes; 0: none
}

// Pool is a named thread pool; see rt.WithNamedPool.
type Pool struct {
	Name    string
	Threads int
}

// options returns the options with which New opens the model.
func (e *emitter) options() *jen.Statement {
	d := e.Defaults
	var own []jen.Code
	if d.Pool != nil {
		own = append(own, e.rt("WithNamedPool").Call(jen.Lit(d.Pool.Name), jen.Lit(d.Pool.Threads)))
	}
	if d.IntraOp > 0 {
		own = append(own, e.rt("WithIntraOp").Call(jen.Lit(d.IntraOp)))
	}
	if d.InterOp > 0 {
		own = append(own, e.rt("WithInterOp").Call(jen.Lit(d.InterOp)))
	}
	if d.Timeout > 0 {
		unit, name := time.Nanosecond, "Nanosecond"
		if d.Timeout%time.Millisecond == 0 {
			unit, name = time.Millisecond, "Millisecond"
		}
		own = append(own, e.rt("WithTimeout").Call(jen.Lit(int(d.Timeout/unit)).Op("*").Qual("time", name)))
	}
	if d.MaxBytes > 0 {
		own = append(own, e.rt("WithMaxBytes").Call(wide(d.MaxBytes)))
	}
	if len(own) == 0 {
		return jen.Id("opts")
	}
	return jen.Append(jen.Index().Add(e.rt("Option")).Values(own...), jen.Id("opts").Op("..."))
}
