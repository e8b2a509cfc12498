
R
x0Placeholder*2
shape):'ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ*
dtype0
"
opBatchMatrixDiagx0*
T0"
