
-
x0Placeholder*
dtype0*
shape:
-
x1Placeholder*
dtype0*
shape:
-
x2Placeholder*
dtype0*
shape:
-
x3Placeholder*
dtype0*
shape:
-
x4Placeholder*
dtype0*
shape:
-
x5Placeholder*
dtype0*
shape:
-
x6Placeholder*
dtype0*
shape:
-
x7Placeholder*
dtype0*
shape:
+
BitcastBitcastx0*
T0*

type0
-
	Bitcast_1Bitcastx1*
T0*

type0
£
UniformQuantizedAddUniformQuantizedAddBitcast	Bitcast_1x2x3x4x5x6x7**
output_quantization_min_val˜øÿÿÿÿÿÿÿ*
rhs_quantization_axis*
lhs_quantization_axis*"
lhs_quantization_max_valÿÿÿÿ*"
output_quantization_max_valè*
T0*'
rhs_quantization_min_val€€€€øÿÿÿÿ*"
rhs_quantization_max_valÿÿÿÿ*'
lhs_quantization_min_val€€€€øÿÿÿÿ*
output_quantization_axis
>
	Bitcast_2BitcastUniformQuantizedAdd*
T0*

type0
"
y0Identity	Bitcast_2*
T0"ª