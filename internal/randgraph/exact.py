"""Lists which ops round, and which may read rounded values."""

# Ops that move, copy or select data by position: rounded values pass unchanged.
MOVES = set("""Identity IdentityN Snapshot StopGradient PreventGradient DeepCopy GuaranteeConst DebugGradientIdentity Reshape ExpandDims Squeeze
Transpose ConjugateTranspose Concat ConcatV2 Split SplitV Pack Unpack ParallelConcat Slice StridedSlice Pad PadV2 MirrorPad Tile Gather GatherV2
GatherNd TensorScatterUpdate Reverse ReverseV2 ReverseSequence Roll BroadcastTo SpaceToBatch SpaceToBatchND BatchToSpace BatchToSpaceND
SpaceToDepth DepthToSpace Diag DiagPart MatrixDiag MatrixDiagV2 MatrixDiagV3 MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3 MatrixSetDiag
MatrixSetDiagV2 MatrixSetDiagV3 MatrixBandPart DynamicStitch ParallelDynamicStitch DynamicPartition Fill OneHot Select SelectV2 Real Imag
Conj Neg EnsureShape PlaceholderWithDefault StridedSliceGrad InplaceUpdate InvertPermutation Shape ShapeN Size Rank ZerosLike OnesLike
TensorListFromTensor TensorListStack TensorListSetItem TensorListGetItem TensorListPushBack TensorListPopBack TensorListGather TensorListScatter
TensorListScatterV2 TensorListScatterIntoExistingList TensorListConcat TensorListConcatV2 TensorListSplit TensorListConcatLists TensorListPushBackBatch
TensorListReserve TensorListResize TensorListLength TensorListElementShape EmptyTensorList TensorStridedSliceUpdate ExtractImagePatches
ExtractVolumePatches RandomShuffle StatelessShuffle Empty RaggedGather RaggedTensorFromVariant RaggedTensorToVariant SparseReorder SparseReshape
SparseSlice SparseConcat SparseSplit SparseToDense RaggedTensorToSparse RaggedTensorToTensor SparseFillEmptyRows""".split())

# Not quotients: TensorFlow's optimizers replace quotients by constants with products.
# IEEE operations that round once, comparisons and integer arithmetic: equal inputs give bit-equal results.
EXACT = MOVES | set("""Abs Add AddV2 Sub Mul Maximum Minimum Square Floor Ceil Rint Round Sign FloorDiv FloorMod TruncateDiv TruncateMod
Mod Relu Relu6 ReluGrad Relu6Grad ClipByValue Max Min ArgMax ArgMin TopK TopKV2 Unique UniqueV2 UniqueWithCounts UniqueWithCountsV2 NthElement
Greater GreaterEqual Less LessEqual Equal NotEqual IsNan IsInf IsFinite Cast Bitcast MaxPool MaxPoolV2 MaxPoolWithArgmax MaxPool3D
SegmentMax SegmentMin UnsortedSegmentMax UnsortedSegmentMin TensorScatterMax TensorScatterMin ListDiff Where Range NextAfter Bucketize LowerBound
UpperBound InTopK InTopKV2 MulNoNan StringToNumber DecodeRaw DecodePaddedRaw AsString HistogramFixedWidth
ResizeNearestNeighbor Complex LookupTableFindV2 LookupTableExportV2 ReadVariableOp BiasAdd BiasAddV1
StatelessRandomUniform StatelessRandomUniformV2 RandomUniform DecodeCSV ParseExample ParseExampleV2 ParseSingleExample StringFormat
CheckNumerics CheckNumericsV2 NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionV4 NonMaxSuppressionWithOverlaps
CombinedNonMaxSuppression_ IsotonicRegression_ Assert Print ResourceGather ResourceGatherNd AssignVariableOp""".split())

# Continuous functions: they may read rounded values that are far enough from singularities.
CONTINUOUS = set("""Abs Add AddV2 Sub Mul Div RealDiv Maximum Minimum Square Relu Relu6 ClipByValue Max Min Sqrt SquaredDifference DivNoNan MulNoNan
AddN AccumulateNV2 Sum Mean Prod EuclideanNorm Exp Expm1 Log Log1p Sin Cos Tan Tanh Sigmoid Softplus Softsign Elu Selu LeakyRelu Erf Erfc Atan Sinh
Cosh Asinh Acosh Atanh Asin Acos Rsqrt Reciprocal Inv Pow MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3 Einsum Conv2D Conv3D DepthwiseConv2dNative
BiasAdd BiasAddV1 BiasAddGrad AvgPool AvgPool3D MaxPool MaxPool3D Softmax LogSoftmax Cumsum Cumprod CumulativeLogsumexp FusedBatchNorm
FusedBatchNormV2 FusedBatchNormV3 L2Loss SegmentSum SegmentMean SegmentProd SegmentMax SegmentMin UnsortedSegmentSum UnsortedSegmentProd
UnsortedSegmentMax UnsortedSegmentMin ResizeBilinear ResizeBicubic ResizeArea ResizeNearestNeighbor CropAndResize FFT IFFT FFT2D IFFT2D FFT3D
IFFT3D RFFT IRFFT RFFT2D IRFFT2D RFFT3D IRFFT3D ComplexAbs Complex TanhGrad SigmoidGrad SqrtGrad RsqrtGrad SoftplusGrad SoftsignGrad EluGrad
SeluGrad Lgamma Cross MatrixInverse MatrixSolve MatrixTriangularSolve Cholesky MatrixDeterminant TensorScatterAdd TensorScatterSub LRN
SparseSegmentSum SparseSegmentMean SparseSegmentSqrtN Xlogy Xdivy Xlog1py SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits
AdjustContrastv2 BesselI0e BesselI1e Ndtri Atan2 LinSpace ScatterNd ScatterNdNonAliasingAdd InplaceAdd InplaceSub MirrorPadGrad""".split())
