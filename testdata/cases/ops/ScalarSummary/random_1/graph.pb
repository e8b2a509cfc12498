
8
x0Placeholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
8
x1Placeholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
/
ScalarSummaryScalarSummaryx0x1*
T0"ª