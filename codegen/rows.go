package codegen

import "github.com/dave/jennifer/jen"

// Statements that differ only in data are emitted once, in a loop over a table of the data.

// tableRows is the smallest number of rows for which a loop over a table is shorter than separate
// statements.
const tableRows = 3

// column describes one column of a table: the name and the type of a field in the struct type of
// the rows.
type column struct {
	name string
	typ  *jen.Statement
}

// eachRow returns a loop over a table. The callback returns the body of the loop. The argument of
// the callback has an expression for each element of a row.
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
