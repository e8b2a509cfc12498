
7
x0Placeholder*
shape:*
dtype0
1
MatrixSquareRootMatrixSquareRootx0*
T0
)
y0IdentityMatrixSquareRoot*
T0"ª