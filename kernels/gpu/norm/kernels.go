package norm

import "github.com/graphc/graphc/rt/device"

// LayerNormF32 computes for every row
//
//	y = (x - mean(x)) / sqrt(mean((x - mean(x))²) + Epsilon) · gamma + beta.
//
// gamma and beta have C elements; one at 0 stands for ones, or zeros. y may be x.
func LayerNormF32(q *device.Queue, y, x, gamma, beta device.Ptr, p LayerParams) {
	layer(q, &layerF32, y, x, gamma, beta, p, 1)
}

// LayerNormF64 is LayerNormF32 for float64.
func LayerNormF64(q *device.Queue, y, x, gamma, beta device.Ptr, p LayerParams) {
	layer(q, &layerF64, y, x, gamma, beta, p, 1)
}

// LayerNormF16 is LayerNormF32 for binary16.
func LayerNormF16(q *device.Queue, y, x, gamma, beta device.Ptr, p LayerParams) {
	layer(q, &layerF16, y, x, gamma, beta, p, 1)
}

// LayerNormBF16 is LayerNormF32 for bfloat16.
func LayerNormBF16(q *device.Queue, y, x, gamma, beta device.Ptr, p LayerParams) {
	layer(q, &layerBF16, y, x, gamma, beta, p, 1)
}

// RMSNormF32 computes y = x / sqrt(mean(x²) + Epsilon) · gamma for every row, as LayerNormF32
// does with a mean of zero.
func RMSNormF32(q *device.Queue, y, x, gamma device.Ptr, p LayerParams) {
	layer(q, &layerF32, y, x, gamma, 0, p, 0)
}

// RMSNormF64 is RMSNormF32 for float64.
func RMSNormF64(q *device.Queue, y, x, gamma device.Ptr, p LayerParams) {
	layer(q, &layerF64, y, x, gamma, 0, p, 0)
}

// RMSNormF16 is RMSNormF32 for binary16.
func RMSNormF16(q *device.Queue, y, x, gamma device.Ptr, p LayerParams) {
	layer(q, &layerF16, y, x, gamma, 0, p, 0)
}

// RMSNormBF16 is RMSNormF32 for bfloat16.
func RMSNormBF16(q *device.Queue, y, x, gamma device.Ptr, p LayerParams) {
	layer(q, &layerBF16, y, x, gamma, 0, p, 0)
}

// InferF32 computes y = (x-mean) * (scale/sqrt(variance+epsilon)) + offset over the channels.
// y may be x.
func InferF32(q *device.Queue, y, x, scale, offset, mean, variance device.Ptr, p Params) {
	p.shift(q, &shiftF32, y, x, scale, offset, mean, variance)
}

// InferF64 is InferF32 for float64.
func InferF64(q *device.Queue, y, x, scale, offset, mean, variance device.Ptr, p Params) {
	p.shift(q, &shiftF64, y, x, scale, offset, mean, variance)
}

// InferF16 is InferF32 for binary16 with float32 statistics.
func InferF16(q *device.Queue, y, x, scale, offset, mean, variance device.Ptr, p Params) {
	p.shift(q, &shiftF16, y, x, scale, offset, mean, variance)
}

// InferBF16 is InferF32 for bfloat16 with float32 statistics.
func InferBF16(q *device.Queue, y, x, scale, offset, mean, variance device.Ptr, p Params) {
	p.shift(q, &shiftBF16, y, x, scale, offset, mean, variance)
}

// TrainF32 normalises by the batch's own statistics. saved and savedVar get its mean and biased
// variance, mean and variance what a run keeps for inference: the unbiased variance, mixed with
// oldMean and oldVar when Factor is not 1; these may be 0 otherwise. A batch without elements gives
// NaN statistics. y does not overlap x. scratch has Scratch(C) bytes.
func TrainF32(q *device.Queue, y, x, scale, offset, oldMean, oldVar, mean, variance, saved, savedVar, scratch device.Ptr, p Params) {
	p.train(q, statistics{&columnsF32, &planesF32, &meanF32, &varianceF32, &shiftF32},
		y, x, scale, offset, oldMean, oldVar, mean, variance, saved, savedVar, scratch, 4)
}

// TrainF64 is TrainF32 for float64.
func TrainF64(q *device.Queue, y, x, scale, offset, oldMean, oldVar, mean, variance, saved, savedVar, scratch device.Ptr, p Params) {
	p.train(q, statistics{&columnsF64, &planesF64, &meanF64, &varianceF64, &shiftF64},
		y, x, scale, offset, oldMean, oldVar, mean, variance, saved, savedVar, scratch, 8)
}

// TrainF16 is TrainF32 for binary16 with float32 statistics.
func TrainF16(q *device.Queue, y, x, scale, offset, oldMean, oldVar, mean, variance, saved, savedVar, scratch device.Ptr, p Params) {
	p.train(q, statistics{&columnsF16, &planesF16, &meanF32, &varianceF32, &shiftF16},
		y, x, scale, offset, oldMean, oldVar, mean, variance, saved, savedVar, scratch, 4)
}

// TrainBF16 is TrainF32 for bfloat16 with float32 statistics.
func TrainBF16(q *device.Queue, y, x, scale, offset, oldMean, oldVar, mean, variance, saved, savedVar, scratch device.Ptr, p Params) {
	p.train(q, statistics{&columnsBF16, &planesBF16, &meanF32, &varianceF32, &shiftBF16},
		y, x, scale, offset, oldMean, oldVar, mean, variance, saved, savedVar, scratch, 4)
}

// GradF32 is the gradient of batch normalisation: dx, dscale and doffset from dy, with the
// statistics the forward step returned. In training (the batch's own mean and biased variance)
//
//	dx = scale*k*(dy - mean(dy) - (x-mean)*k²*mean(dy*(x-mean))), k = 1/sqrt(variance+epsilon)
//
// otherwise dx = dy*scale*k. dscale is Σ dy*(x-mean)*k, doffset Σ dy. dx may be dy or x.
// scratch has Scratch(C) bytes.
func GradF32(q *device.Queue, dx, dscale, doffset, dy, x, scale, mean, variance, scratch device.Ptr, training bool, p Params) {
	p.grad(q, gradients{&columnsF32, &planesF32, &gradientOfF32, &gradientF32},
		dx, dscale, doffset, dy, x, scale, mean, variance, scratch, training, 4)
}

// GradF64 is GradF32 for float64.
func GradF64(q *device.Queue, dx, dscale, doffset, dy, x, scale, mean, variance, scratch device.Ptr, training bool, p Params) {
	p.grad(q, gradients{&columnsF64, &planesF64, &gradientOfF64, &gradientF64},
		dx, dscale, doffset, dy, x, scale, mean, variance, scratch, training, 8)
}

// GradF16 is GradF32 for binary16 with float32 statistics.
func GradF16(q *device.Queue, dx, dscale, doffset, dy, x, scale, mean, variance, scratch device.Ptr, training bool, p Params) {
	p.grad(q, gradients{&columnsF16, &planesF16, &gradientOfF32, &gradientF16},
		dx, dscale, doffset, dy, x, scale, mean, variance, scratch, training, 4)
}

// GradBF16 is GradF32 for bfloat16 with float32 statistics.
func GradBF16(q *device.Queue, dx, dscale, doffset, dy, x, scale, mean, variance, scratch device.Ptr, training bool, p Params) {
	p.grad(q, gradients{&columnsBF16, &planesBF16, &gradientOfF32, &gradientBF16},
		dx, dscale, doffset, dy, x, scale, mean, variance, scratch, training, 4)
}
