// Package text has strings, messages, examples, and files of them.
package ops

import "slices"

// textFamily describes them.
func textFamily() Family {
	return Family{
		Defs: slices.Concat(unicodeDefs, parseDefs, printDefs, stringDefs, ngramDefs, csvDefs, protoDefs, summaryDefs, fileDefs,
			readerDefs),
	}
}
