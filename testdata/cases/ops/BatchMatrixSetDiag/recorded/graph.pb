
;
x0Placeholder*
shape:*
dtype0
7
x1Placeholder*
shape:*
dtype0
)
opBatchMatrixSetDiagx0x1*
T0"
