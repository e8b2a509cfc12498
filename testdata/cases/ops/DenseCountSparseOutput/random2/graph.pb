
/
x1Placeholder*
dtype0	*
shape:
8
x2Placeholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
‹
DenseCountSparseOutputDenseCountSparseOutputx1x2*
T0	*
output_type0*
	minlength*
	maxlength*
binary_output(
/
y0IdentityDenseCountSparseOutput*
T0	
1
y1IdentityDenseCountSparseOutput:1*
T0
1
y2IdentityDenseCountSparseOutput:2*
T0	"ª