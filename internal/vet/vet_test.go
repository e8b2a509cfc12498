package main

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/graphc/graphc/internal/vet/house"
	"github.com/graphc/graphc/internal/vet/nopanic"
	"github.com/graphc/graphc/internal/vet/opnames"
)

// TestRepository: the repository follows its rules, and every listed exception is needed.
func TestRepository(t *testing.T) {
	c := &packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: "../.."}
	pkgs, err := packages.Load(c, ".", "./cmd/...", "./codegen/...", "./exec/...", "./frontend/...", "./internal/pipeline/...", "./internal/tool/...", "./ir/...", "./lower/...", "./ops/...",
		"./partition/...", "./passes/...", "./placer/...", "./plan/...")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			t.Fatal(e)
		}
	}
	g, err := checker.Analyze([]*analysis.Analyzer{nopanic.Analyzer, opnames.Analyzer}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range g.Roots {
		if a.Err != nil {
			t.Errorf("%s: %v", a.Package.PkgPath, a.Err)
		}
		for _, d := range a.Diagnostics {
			t.Errorf("%s: %s", a.Package.Fset.Position(d.Pos), d.Message)
		}
	}
	if unused := house.Unused(nopanic.Allowed, opnames.Allowed); len(unused) > 0 {
		t.Errorf("exceptions that nothing needs: %s", strings.Join(unused, ", "))
	}
}
