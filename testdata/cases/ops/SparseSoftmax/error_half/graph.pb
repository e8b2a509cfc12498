
3
x0Placeholder*
shape
:*
dtype0	
/
x1Placeholder*
shape:*
dtype0
3
ConstConst*
valueB	R*
dtype0	
6
SparseSoftmaxSparseSoftmaxx0x1Const*
T0
&
y0IdentitySparseSoftmax*
T0"ª