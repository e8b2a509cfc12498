package codegen

import "github.com/dave/jennifer/jen"

// Statements that differ only in data are printed once, in a loop over a table of the data.

// tableRows is the number of rows from which a table is shorter than separate statements.
const tableRows = 3

// column is a column of a table: a field of its row struct.
type column struct {
	name string
	typ  *jen.Statement
}

// eachRow prints a loop over a table. The function do prints the loop's body, from the expressions
// for the elements of a row.
func eachRow(columns []column, rows [][]jen.Code, do func(row []jen.Code) []jen.Code) jen.Code {
	var fields, elements, lines []jen.Code
	for _, c := range columns {
		fields = append(fields, jen.Id(c.name).Add(c.typ))
		elements = append(elements, jen.Id("x").Dot(c.name))
	}
	for _, row := range rows {
		lines = append(lines, jen.Values(row...))
	}
	return jen.For(jen.List(jen.Id("_"), jen.Id("x")).Op(":=").Range().Index().Struct(fields...).Add(multi(lines))).Block(do(elements)...)
}
