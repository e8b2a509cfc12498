package math

import (
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
)

// batchRules holds the rules for batches; see lower.BatchRule.
var batchRules = map[string]lower.BatchRule{
	"Sum":           kit.NotAlongBatch(1),
	"Mean":          kit.NotAlongBatch(1),
	"Prod":          kit.NotAlongBatch(1),
	"Max":           kit.NotAlongBatch(1),
	"Min":           kit.NotAlongBatch(1),
	"All":           kit.NotAlongBatch(1),
	"Any":           kit.NotAlongBatch(1),
	"EuclideanNorm": kit.NotAlongBatch(1),
	"ArgMax":        kit.NotAlongBatch(1),
	"ArgMin":        kit.NotAlongBatch(1),
	"Cumsum":        kit.NotAlongBatch(1),
	"Cumprod":       kit.NotAlongBatch(1),
	"Select":        lower.EachRowBatch,
	"SelectV2":      lower.BroadcastBatch,
	"ClipByValue":   lower.BroadcastBatch,
	"AddN":          lower.EachRowBatch,
	"BiasAdd":       lower.FirstBatch,
	"_PowHalf":      lower.FirstBatch,
	"_PowMinusHalf": lower.FirstBatch,
}
