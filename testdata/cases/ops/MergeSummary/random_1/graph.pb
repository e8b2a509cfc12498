
-
x0Placeholder*
dtype0*
shape:
-
x1Placeholder*
dtype0*
shape:
-
MergeSummaryMergeSummaryx0x1*
N"ª