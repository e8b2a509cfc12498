
8
x0Placeholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
8
x1Placeholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
8
x2Placeholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
1
MergeSummaryMergeSummaryx0x1x2*
N"ª