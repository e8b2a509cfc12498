"""Lists ops and inputs that are not drawn, with the reasons."""
import numpy as np

import values as V

FILES = "touches files: compiled only where it is allowed"
CLOCK = "the answer is the time, the machine or the program"
EXCLUDED = {
    "Const": "a leaf",
    "Placeholder": "a leaf",
    "PlaceholderV2": "deprecated: TensorFlow has no kernel that can be fed",
    "TopK": "removed from every version of the format that its kernel can read",
    "MatchingFiles": FILES, "ReadFile": FILES, "WriteFile": FILES, "Save": FILES, "SaveV2": FILES, "SaveSlices": FILES, "Restore": FILES,
    "RestoreV2": FILES, "RestoreSlice": FILES, "MergeV2Checkpoints": FILES, "InitializeTableFromTextFile": FILES, "InitializeTableFromTextFileV2": FILES, "GenerateVocabRemapping": FILES,
    "Timestamp": CLOCK, "EncodeJpeg": "bytes are the encoder's own", "EncodeJpegVariableQuality": "bytes are the encoder's own",
    "LSTMBlockCell": "ends TensorFlow's process on other ranks", "LSTMBlockCellGrad": "ends TensorFlow's process on other ranks",
    "ImageSummary": "bytes are the encoder's own", "CustomAggregator": FILES, "SerializeTensor": "proto fields may stand in any order",
    "Abort": "ends the process", "PrintV2": "writes", "Print": "writes",
    "PyFunc": "needs Python", "PyFuncStateless": "needs Python", "EagerPyFunc": "needs Python",
    "NonDeterministicInts": "random by its meaning",
}

# Sums of many products: depending on the kernel, TensorFlow multiplies elements outside of a window by zero or skips
# them, and the results of infinities and of the largest numbers depend on the order of the sums.
SUMS = set("""Conv2D Conv2DBackpropInput Conv2DBackpropFilter Conv3D Conv3DBackpropInput Conv3DBackpropFilter Conv3DBackpropInputV2
Conv3DBackpropFilterV2 DepthwiseConv2dNative DepthwiseConv2dNativeBackpropInput DepthwiseConv2dNativeBackpropFilter FusedBatchNormGrad
FusedBatchNormGradV2 FusedBatchNormGradV3 LRN LRNGrad MaxPool3D MaxPool3DGrad MaxPool3DGradGrad
Multinomial StatelessMultinomial FFT IFFT FFT2D IFFT2D FFT3D IFFT3D RFFT RFFT2D RFFT3D IRFFT IRFFT2D IRFFT3D""".split())
# Sums and products whose order depends on the kernel: it determines whether the largest numbers overflow.
ORDER = set("""MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3 SparseMatMul Einsum Sum Mean Prod EuclideanNorm L2Loss Cumsum Cumprod BiasAddGrad AvgPool
AvgPool3D AvgPoolGrad AvgPool3DGrad FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3 SegmentMean SparseSegmentMean SparseSegmentSum
SparseSegmentSqrtN ResizeArea ResizeBilinear ResizeBicubic""".split())
MODERATE = {V.F32: 1e15, V.F64: 1e150, V.F16: 3e4, V.BF16: 1e15, V.C64: 1e15, V.C128: 1e150}

# Whether a NaN operand is kept depends on its position: TensorFlow computes as many elements at once as fit in a
# register, and the rest one by one, in another order.
COMPARE = set("SegmentMax SegmentMin NthElement".split())

QUOTIENT = set("FloorDiv FloorMod Mod TruncateMod TruncateDiv".split())


def unfit(name, ins, outs, moves, empty):
    """The reason why a node with these float inputs and outputs (pairs of type and elements) is not drawn, or "".
    empty is set if another input has no elements."""
    with np.errstate(all="ignore"):
        if name in SUMS:
            for d, a in ins + outs:
                if d in MODERATE and a.size and not np.all(np.abs(wide(d, a)) <= MODERATE[d]):
                    return "extremes in sums"
        if name in ORDER:
            for d, a in ins:
                m = np.abs(wide(d, a)) if d in MODERATE else np.zeros(0)
                if np.any((m > MODERATE.get(d, 0)) & np.isfinite(m)):
                    return "extremes in sums"
        if name.startswith("QuantizeAndDequantize") and not np.all(np.isfinite(wide(*ins[0]))):
            return "a range of NaN or infinities"
        if name in COMPARE and any(d in V.FLOATS and np.isnan(wide(d, a)).any() for d, a in ins):
            return "which of NaN and a number is kept depends on the place"
        if name in ("LRN", "LRNGrad") and any(d == V.F16 and np.any(np.abs(wide(d, a)) > 50) for d, a in ins):
            return "squares that overflow"
        if not moves and any(small(d, a) for d, a in ins):
            return "denormal numbers, which some of TensorFlow's kernels take for zero"
        if name.startswith("SparseSegment") and "Grad" in name and empty:
            return "memory that TensorFlow leaves as it was where there are no indices"
        if name in ("Igamma", "Igammac") and any(np.any(np.abs(wide(d, a)) > 1e5) for d, a in ins):
            return "series that TensorFlow ends after 2000 terms"
        if name in QUOTIENT and ins and ins[0][0] in V.DENORMAL:
            d = ins[0][0]
            q = np.abs(wide(d, ins[0][1]) / wide(d, ins[1][1]))
            if np.any((q > 0) & (q < V.DENORMAL[d])):
                return "quotients that TensorFlow takes for zero"
        if not moves and any(d in V.COMPLEX for d, _ in ins + outs):
            # Infinite complex numbers: the result of TensorFlow's kernels depends on the position, as for COMPARE.
            nan = any(d in V.COMPLEX and np.isnan(a).any() for d, a in ins)
            for d, a in ins + outs:
                if d in V.COMPLEX and np.isinf(a).any():
                    return "infinite complex numbers"
            if not nan and any(d in V.COMPLEX and np.isnan(a).any() for d, a in outs):
                return "complex division by zero"
    return ""


def small(d, a):
    m = np.abs(wide(d, a)) if d in V.DENORMAL else np.zeros(0)
    return bool(np.any((m > 0) & (m < V.DENORMAL[d]))) if m.size else False


def wide(d, a):
    return a.astype(np.complex128 if d in V.COMPLEX else np.float64)
