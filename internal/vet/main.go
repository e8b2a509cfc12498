// Command vet checks this repository's own rules: make vet.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/graphc/graphc/internal/vet/nopanic"
	"github.com/graphc/graphc/internal/vet/opnames"
)

func main() { multichecker.Main(nopanic.Analyzer, opnames.Analyzer) }
