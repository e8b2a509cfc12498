package nn

import "github.com/graphc/graphc/lower"

// batchRules holds the rules for batches; see lower.BatchRule.
var batchRules = map[string]lower.BatchRule{
	"Conv2D":                      windowBatch,
	"_FusedConv2D":                windowBatch,
	"DepthwiseConv2dNative":       windowBatch,
	"_FusedDepthwiseConv2dNative": windowBatch,
	"Conv3D":                      windowBatch,
	"_FusedConv3D":                windowBatch,
	"Conv2DBackpropInput":         transposedConvBatch,
	"_FusedConv2DBackpropInput":   transposedConvBatch,
	"AvgPool":                     lower.FirstBatch,
	"AvgPool3D":                   lower.FirstBatch,
	"MaxPool":                     lower.FirstBatch,
	"MaxPoolV2":                   lower.FirstBatch,
	"MaxPool3D":                   lower.FirstBatch,
	"FusedBatchNorm":              normBatch,
	"FusedBatchNormV2":            normBatch,
	"FusedBatchNormV3":            normBatch,
	"_FusedBatchNormEx":           normBatch,
	"LRN":                         lower.FirstBatch,
	"Softmax":                     lower.FirstBatchOfRank(2),
	"LogSoftmax":                  lower.FirstBatchOfRank(2),
	"_LayerNorm":                  lower.FirstBatchOfRank(2),
	"_RMSNorm":                    lower.FirstBatchOfRank(2),
	"_MaskedSoftmax":              func(b *lower.BatchNode) bool { return b.Row(0) && lower.BroadcastBatch(b) },
	"_Gelu":                       lower.FirstBatch,
	"_Swish":                      lower.FirstBatch,
	"_Mish":                       lower.FirstBatch,
	"_HardSwish":                  lower.FirstBatch,
}

// windowBatch is the rule for convolutions of a batch of images with a fixed filter.
func windowBatch(b *lower.BatchNode) bool { return b.Fixed(1) && lower.FirstBatch(b) }

// transposedConvBatch is the rule for the convolution that computes the gradient of an image: input
// 0 is the shape of the result, input 1 the filter, and input 2 the batch.
func transposedConvBatch(b *lower.BatchNode) bool {
	for i := 3; i < b.NumIn(); i++ {
		if !b.Row(i) && !b.Fixed(i) {
			return false
		}
	}
	return b.Sizes(0) && b.Fixed(1) && b.Row(2)
}

// normBatch is the rule for batch normalization, which computes the mean of a batch only in
// training.
func normBatch(b *lower.BatchNode) bool {
	return !b.Node.Bool("is_training") && lower.FirstBatch(b)
}
