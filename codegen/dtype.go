package codegen

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

type sectionOf = rt.Section

// dtypeNames maps element types to package tensor's constants.
var dtypeNames = map[tensor.DType]string{
	tensor.Float32: "Float32", tensor.Float64: "Float64", tensor.Int8: "Int8", tensor.Int16: "Int16", tensor.Int32: "Int32",
	tensor.Int64: "Int64", tensor.Uint8: "Uint8", tensor.Uint16: "Uint16", tensor.Uint32: "Uint32", tensor.Uint64: "Uint64",
	tensor.Bool: "Bool", tensor.String: "String", tensor.Complex64: "Complex64", tensor.Complex128: "Complex128",
	tensor.Half: "Half", tensor.BFloat16: "BFloat16", tensor.QInt8: "QInt8", tensor.QInt16: "QInt16", tensor.QInt32: "QInt32",
	tensor.QUint8: "QUint8", tensor.QUint16: "QUint16", tensor.Resource: "Resource", tensor.Variant: "Variant",
}

// dtype returns the constant of package tensor for an element type.
func (e *emitter) dtype(d tensor.DType) *jen.Statement {
	if n, ok := dtypeNames[d]; ok {
		return e.tensor(n)
	}
	return e.tensor("DType").Call(jen.Lit(int(d)))
}

// locals returns the declarations of the local variables that a function's code uses. The names of
// these variables are keys of the map.
func locals(used map[string]bool) []jen.Code {
	var out []jen.Code
	for _, l := range strings.Fields("a=Arena o=Off w=W k=Kept m=Scratch() g=X.Work d=&D v=&V") {
		name, field, _ := strings.Cut(l, "=")
		if !used[name] {
			continue
		}
		op := ""
		if strings.HasPrefix(field, "&") {
			op, field = "&", field[1:]
		}
		of := jen.Id("s")
		// a task has its own state, but the sizes are in the state of the run
		if name == "v" && used["Of"] {
			of = of.Dot("Of")
		}
		out = append(out, jen.Id(name).Op(":=").Op(op).Add(of).Dot(field))
	}
	return out
}
