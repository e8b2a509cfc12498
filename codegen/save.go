package codegen

import (
	"cmp"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/plan"
)

// saved returns the buffers of the variables and tables to save, one for each resource, sorted by
// name.
func (e *emitter) saved() []*plan.Buf {
	if e.saves == nil {
		seen := map[string]bool{}
		e.saves = []*plan.Buf{}
		for _, s := range e.all() {
			for _, b := range s.plan.Bufs {
				if b.Place == plan.Kept && b.Object != nil && b.Object.Checkpoint != "" && !seen[b.Name] {
					seen[b.Name] = true
					e.saves = append(e.saves, b)
				}
			}
		}
		slices.SortFunc(e.saves, func(a, b *plan.Buf) int { return cmp.Compare(a.Name, b.Name) })
	}
	return e.saves
}

// carries reports whether Save writes tensors besides variables and tables.
func (e *emitter) carries() bool { return len(e.Carried) > 0 && len(e.saved()) > 0 }

// carried returns, as constants, the tensors that Save writes besides variables and tables.
func (e *emitter) carried() []*plan.Const {
	if !e.carries() {
		return nil
	}
	if e.carry == nil {
		for _, c := range e.Carried {
			e.carry = append(e.carry, &plan.Const{Name: c.Key, DType: c.Tensor.DType, Shape: c.Tensor.Shape, Data: c.Tensor.Data})
		}
	}
	return e.carry
}

// save returns a qualified name of package save.
func (e *emitter) save(name string) *jen.Statement {
	return jen.Qual(e.path(Module+"/rt/save"), name)
}

// saving emits the methods that save and restore the variables.
func (e *emitter) saving(f *jen.File) error {
	if len(e.saved()) == 0 {
		return nil
	}
	method := func(name, text string) *jen.Statement {
		f.Comment(text)
		return f.Func().Params(jen.Id("m").Op("*").Id("Model")).Id(name)
	}
	all := func() *jen.Statement { return jen.Id("m").Dot("checkpoint").Call() }
	base := func() *jen.Statement { return jen.Id("m").Dot("base") }
	prefix := jen.Id("prefix").String()
	method("Variables", "// Variables returns the names of the variables in checkpoints.").
		Params().Index().String().Block(jen.Return(all().Dot("Keys").Call())).Line()
	method("Save", "// Save writes a checkpoint that TensorFlow can load; see rt.Saver.").
		Params(prefix).Error().Block(jen.Return(e.save("Save").Call(base(), all(), jen.Id("prefix")))).Line()
	method("Restore", "// Restore sets the variables to the values of a checkpoint; see rt.Saver.").
		Params(prefix.Clone()).Error().Block(jen.Return(e.save("Restore").Call(base(), all(), jen.Id("prefix")))).Line()

	row := func(key, slice string, rest ...jen.Code) jen.Code {
		vs := []jen.Code{jen.Id("Key").Op(":").Lit(key)}
		if slice != "" {
			vs = append(vs, jen.Id("Slice").Op(":").Lit(slice))
		}
		return jen.Values(append(vs, rest...)...)
	}
	var vars, tables, carried []jen.Code
	for _, b := range e.saved() {
		if b.Object.Values != "" {
			tables = append(tables, jen.Values(jen.Id("Keys").Op(":").Lit(b.Object.Checkpoint), jen.Id("Values").Op(":").Lit(b.Object.Values),
				jen.Id("Handle").Op(":").Op("&").Id("m").Dot("vars").Dot(e.vars.fields[b.Name])))
			continue
		}
		vars = append(vars, row(b.Object.Checkpoint, b.Object.Slice,
			jen.Id("Handle").Op(":").Op("&").Id("m").Dot("vars").Dot(e.vars.fields[b.Name])))
	}
	for i, c := range e.carried() {
		args := []jen.Code{}
		name := "Text"
		if e.isText(c) {
			args = append(args, jen.Lit(e.data.index[c]))
		} else {
			name = "Tensor"
			args = append(args, e.dtype(c.DType), jen.Lit(e.data.offset[c]))
		}
		for _, d := range c.Shape {
			args = append(args, jen.Lit(d))
		}
		carried = append(carried, row(e.Carried[i].Key, e.Carried[i].Slice, jen.Id("Tensor").Op(":").Id("m").Dot("base").Dot(name).Call(args...)))
	}
	fields := []jen.Code{}
	if len(vars) > 0 {
		fields = append(fields, jen.Id("Variables").Op(":").Index().Add(e.save("Variable")).Add(multi(vars)))
	}
	if len(tables) > 0 {
		fields = append(fields, jen.Id("Tables").Op(":").Index().Add(e.save("Table")).Add(multi(tables)))
	}
	if len(carried) > 0 {
		fields = append(fields, jen.Id("Carried").Op(":").Index().Add(e.save("Carried")).Add(multi(carried)))
	}
	f.Comment("// checkpoint describes what Save writes and Restore reads.")
	f.Func().Params(jen.Id("m").Op("*").Id("Model")).Id("checkpoint").Params().Op("*").Add(e.save("Checkpoint")).
		Block(jen.Return(jen.Op("&").Add(e.save("Checkpoint")).Add(multi(fields)))).Line()
	return nil
}
