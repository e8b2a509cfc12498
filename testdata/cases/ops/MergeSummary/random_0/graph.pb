
/
x0Placeholder*
dtype0*
shape:
)
MergeSummaryMergeSummaryx0*
N"ª