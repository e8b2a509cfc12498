
<
x0Placeholder*
shape:ÿÿÿÿÿÿÿÿÿ*
dtype0	
/
x1Placeholder*
shape:*
dtype0
8
x2Placeholder*
shape:ÿÿÿÿÿÿÿÿÿ*
dtype0	
8
ConstConst*
valueB‚*
dtype0
F
SparseDenseCwiseMulSparseDenseCwiseMulx0x1x2Const*
T0
,
y0IdentitySparseDenseCwiseMul*
T0"ª