
8
x1Placeholder*
dtype0	*
shape:ÿÿÿÿÿÿÿÿÿ
<
x2Placeholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
_
RaggedTensorToSparseRaggedTensorToSparsex1x2*
T0*
Tsplits0	*
RAGGED_RANK
-
y0IdentityRaggedTensorToSparse*
T0	
/
y1IdentityRaggedTensorToSparse:1*
T0
/
y2IdentityRaggedTensorToSparse:2*
T0	"ª