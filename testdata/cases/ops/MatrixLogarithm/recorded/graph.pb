
7
x0Placeholder*
shape:*
dtype0
/
MatrixLogarithmMatrixLogarithmx0*
T0
(
y0IdentityMatrixLogarithm*
T0"ª