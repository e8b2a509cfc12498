package opdef

import "strings"

// int32Attrs lists the integer attributes that TensorFlow's kernels read as 32 bits, with their
// ops. TensorFlow 2.21 rejects a value that does not fit into 32 bits when it creates the kernel.
// The list was found by running each op with such values.
var int32Attrs = [][2]string{
	{"axis", "Dequantize OneHot Pack QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4 " +
		"QuantizeAndDequantizeV4Grad QuantizeV2 Unpack"},
	{"batch_dims", "Conv GatherV2 ResourceGather"},
	{"batch_group_count", "UniformQuantizedConvolution UniformQuantizedConvolutionHybrid"},
	{"beam_width", "CTCBeamSearchDecoder"},
	{"begin_mask", "ResourceStridedSliceAssign StridedSlice StridedSliceAssign StridedSliceGrad TensorStridedSliceUpdate"},
	{"blank_index", "CTCGreedyDecoder"},
	{"block_size", "BatchToSpace DepthToSpace SpaceToBatch SpaceToDepth"},
	{"capacity", "Barrier FIFOQueue FIFOQueueV2 PaddingFIFOQueue PaddingFIFOQueueV2 PriorityQueue PriorityQueueV2 " +
		"RandomShuffleQueue RandomShuffleQueueV2"},
	{"channels", "DecodeBmp DecodeImage DecodeJpeg DecodePng"},
	{"compression", "EncodePng"},
	{"concat_dim", "SparseConcat"},
	{"dct_coefficient_count", "Mfcc"},
	{"desired_channels", "DecodeWav"},
	{"desired_samples", "DecodeWav"},
	{"ellipsis_mask", "ResourceStridedSliceAssign StridedSlice StridedSliceAssign StridedSliceGrad TensorStridedSliceUpdate"},
	{"end_mask", "ResourceStridedSliceAssign StridedSlice StridedSliceAssign StridedSliceGrad TensorStridedSliceUpdate"},
	{"feature_group_count", "UniformQuantizedConvolution UniformQuantizedConvolutionHybrid"},
	{"filterbank_channel_count", "Mfcc"},
	{"groups", "Conv"},
	{"input_quantization_axis", "UniformRequantize"},
	{"io_index", "DebugIdentityV3"},
	{"k", "InTopK"},
	{"lhs_quantization_axis", "UniformQuantizedAdd UniformQuantizedConvolution"},
	{"max_attempts", "SampleDistortedBoundingBox SampleDistortedBoundingBoxV2 StatelessSampleDistortedBoundingBox"},
	{"max_outputs", "AudioSummaryV2"},
	{"maxsplit", "StringSplitV2"},
	{"min_after_dequeue", "RandomShuffleQueue RandomShuffleQueueV2"},
	{"new_axis_mask", "ResourceStridedSliceAssign StridedSlice StridedSliceAssign StridedSliceGrad TensorStridedSliceUpdate"},
	{"num_bits", "FakeQuantWithMinMaxArgs FakeQuantWithMinMaxArgsGradient FakeQuantWithMinMaxVars " +
		"FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannel FakeQuantWithMinMaxVarsPerChannelGradient " +
		"QuantizeAndDequantizeV2 QuantizeAndDequantizeV4"},
	{"num_elements", "TensorListStack"},
	{"num_sampled", "AllCandidateSampler FixedUnigramCandidateSampler LearnedUnigramCandidateSampler LogUniformCandidateSampler " +
		"ThreadUnsafeUnigramCandidateSampler UniformCandidateSampler"},
	{"num_true", "AllCandidateSampler FixedUnigramCandidateSampler LearnedUnigramCandidateSampler LogUniformCandidateSampler " +
		"ThreadUnsafeUnigramCandidateSampler UniformCandidateSampler"},
	{"output_quantization_axis", "UniformQuantizedAdd UniformQuantizedConvolution UniformRequantize"},
	{"output_quantization_max_val", "UniformQuantizedAdd UniformQuantizedConvolution UniformRequantize"},
	{"output_quantization_min_val", "UniformQuantizedAdd UniformQuantizedConvolution UniformRequantize"},
	{"output_slot", "DebugIdentityV2"},
	{"pad_width", "StringNGrams"},
	{"precision", "AsString"},
	{"quantization_axis", "UniformDequantize UniformQuantize UniformQuantizedClipByValue"},
	{"quantization_max_val", "UniformQuantize"},
	{"quantization_min_val", "UniformQuantize"},
	{"ratio", "DecodeJpeg"},
	{"replacement_char", "UnicodeDecode UnicodeDecodeWithOffsets UnicodeEncode UnicodeTranscode"},
	{"rhs_quantization_axis", "UniformQuantizedAdd UniformQuantizedConvolution UniformQuantizedConvolutionHybrid"},
	{"rounds", "RandomIndexShuffle"},
	{"shrink_axis_mask", "ResourceStridedSliceAssign StridedSlice StridedSliceAssign StridedSliceGrad TensorStridedSliceUpdate"},
	{"skip_header_lines", "TextLineReader TextLineReaderV2"},
	{"stride", "AudioSpectrogram"},
	{"summarize", "Assert StringFormat"},
	{"tensor_debug_mode", "DebugIdentityV2 DebugNumericSummaryV2"},
	{"width", "AsString"},
	{"window_size", "AudioSpectrogram"},
}

// int32AttrsOf maps each op to its attributes in int32Attrs.
var int32AttrsOf = func() map[string][]string {
	m := map[string][]string{}
	for _, a := range int32Attrs {
		for _, op := range strings.Fields(a[1]) {
			m[op] = append(m[op], a[0])
		}
	}
	return m
}()

// Int32Attrs returns the attributes of an op that TensorFlow's kernel reads as 32-bit integers,
// although all integer attributes have 64 bits in signatures.
func Int32Attrs(op string) []string { return int32AttrsOf[op] }
