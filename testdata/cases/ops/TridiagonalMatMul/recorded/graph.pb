
;
x0Placeholder*
shape:*
dtype0
;
x1Placeholder*
shape:*
dtype0
;
x2Placeholder*
shape:*
dtype0
_
x3Placeholder*?
shape6:4ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ*
dtype0
?
TridiagonalMatMulTridiagonalMatMulx0x1x2x3*
T0
*
y0IdentityTridiagonalMatMul*
T0"ª