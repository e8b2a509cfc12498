package codegen

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/codegen/ptx"
	"github.com/graphc/graphc/plan"
)

// kernelFile are the kernels that are made of the program's element-wise work: one
// module of PTX text, which devices load once.
type kernelFile struct {
	text  strings.Builder
	index map[string]int // by the programs' text
}

// kernel prints the kernel that does a work.
func (e *emitter) kernel(a plan.Elements) (*jen.Statement, error) {
	k := &e.kernels
	if k.index == nil {
		k.index = map[string]int{}
		k.text.WriteString(ptx.Header)
	}
	key := a.Text()
	i, ok := k.index[key]
	if !ok {
		i = len(k.index)
		text, err := ptx.Compile(&a.Work.Program, entryName(i))
		if err != nil {
			return nil, err
		}
		k.text.WriteString("\n" + strings.TrimSpace(strings.TrimPrefix(text, ptx.Header)) + "\n")
		k.index[key] = i
	}
	return jen.Op("&").Id("modelKernels").Index(jen.Lit(i)), nil
}

func entryName(i int) string { return fmt.Sprintf("elements%d", i) }

// writeKernels adds the module, and the file that describes it.
func (e *emitter) writeKernels() error {
	k := &e.kernels
	if len(k.index) == 0 {
		return nil
	}
	name := e.Name + "_kernels.ptx"
	e.files[name] = []byte(k.text.String())
	f := e.newFile()
	f.Anon("embed")
	f.Comment("//go:embed " + name)
	f.Var().Id("kernelText").String().Line()
	f.Comment("// modelModule is the kernels for element-wise work that were made for the model.")
	f.Var().Id("modelModule").Op("=").Add(e.device("Module")).Values(jen.Id("PTX").Op(":").Op("&").Id("kernelText")).Line()
	var list []jen.Code
	for i := range len(k.index) {
		list = append(list, jen.Values(jen.Id("Module").Op(":").Op("&").Id("modelModule"), jen.Id("Entry").Op(":").Lit(entryName(i))))
	}
	f.Comment("// modelKernels are its entries.")
	f.Var().Id("modelKernels").Op("=").Index(jen.Op("...")).Add(e.device("Kernel")).Add(multi(list)).Line()
	return e.add(e.Name+"_kernels.gen.go", f)
}
