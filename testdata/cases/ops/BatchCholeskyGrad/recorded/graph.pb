
3
x0Placeholder*
shape
:*
dtype0
E
x1Placeholder*%
shape:ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ*
dtype0
(
opBatchCholeskyGradx0x1*
T0"
