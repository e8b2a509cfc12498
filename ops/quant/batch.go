package quant

import "github.com/graphc/graphc/lower"

// batchRules holds the rules for batches; see lower.BatchRule.
var batchRules = map[string]lower.BatchRule{
	"FakeQuantWithMinMaxArgs": lower.FirstBatch,
	"FakeQuantWithMinMaxVars": lower.FirstBatch,
}
