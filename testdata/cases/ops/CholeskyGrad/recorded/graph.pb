
7
x0Placeholder*
shape:*
dtype0
7
x1Placeholder*
shape:*
dtype0
-
CholeskyGradCholeskyGradx0x1*
T0
%
y0IdentityCholeskyGrad*
T0"ª