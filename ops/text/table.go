// Package text describes ops on strings, messages, examples and files.
package text

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// Ops describes the ops of this family.
func Ops() lower.Family {
	return lower.Family{
		Defs: slices.Concat(unicodeDefs, parseDefs, printDefs, stringDefs, ngramDefs, csvDefs, protoDefs, summaryDefs, fileDefs,
			readerDefs),
	}
}
